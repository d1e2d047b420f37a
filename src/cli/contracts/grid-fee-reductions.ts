import {
  acceptReduction,
  endReduction,
  rejectReduction,
  setReductionDates,
} from '../../contracts/grid-fee-reductions/move.ts';
import { newestReductions, reductionForStaff } from '../../contracts/grid-fee-reductions/read.ts';
import { REDUCTION_STATUSES } from '../../contracts/grid-fee-reductions/schema.ts';
import { command } from '../engine/command.ts';
import {
  CHANGE,
  calendarDay,
  choice,
  idOption,
  LISTING,
  needed,
  OF_ORGANIZATION,
  option,
} from '../engine/fields.ts';

const REDUCTION = { arguments: { reduction: 'gfr_…' }, thing: 'grid fee reduction' } as const;

const VALID_FROM = option('<day>', 'first day on which it holds, YYYY-MM-DD in Berlin', calendarDay);
const VALID_UNTIL = option(
  '<day>',
  'first day on which it no longer holds, YYYY-MM-DD in Berlin; today or before',
  calendarDay,
);

export const commands = {
  list: command({
    words: 'grid fee reductions of an organization, newest first',
    examples: ['--status ordered', '--subscription sub_… --json'],
    options: {
      ...LISTING,
      status: choice('<status>', 'in this state only', REDUCTION_STATUSES),
      customer: idOption('cus_…: of this customer only'),
      subscription: idOption('sub_…: of this contract only'),
    },
    work: ({ database, organization }, { limit, status, customer, subscription }) =>
      newestReductions(database, organization, { status, customer, subscription }, limit),
    columns: ['id', 'type', 'status', 'valid_from', 'valid_until', 'subscription_id'],
    least: ['subscription_id', 'type'],
  }),
  show: command({
    words: 'one grid fee reduction',
    examples: ['gfr_…', 'gfr_… --json'],
    ...REDUCTION,
    options: OF_ORGANIZATION,
    work: ({ database, organization }, { reduction }) => reductionForStaff(database, organization, reduction),
  }),
  accept: command({
    words: 'the grid operator accepted an ordered reduction',
    examples: [
      "gfr_… --valid-from 2026-11-01 --reason 'letter of the grid operator'",
      "gfr_… --valid-from 2026-11-01 --reason 'letter of the grid operator' --json",
    ],
    ...REDUCTION,
    options: { ...CHANGE, valid_from: needed(VALID_FROM) },
    work: ({ organization, act, ...session }, { reduction, ...given }) =>
      acceptReduction(session, organization, reduction, given, act),
  }),
  reject: command({
    words: 'the grid operator refused an ordered reduction',
    examples: ["gfr_… --reason 'no controllable device'", "gfr_… --reason 'no controllable device' --json"],
    ...REDUCTION,
    options: CHANGE,
    work: ({ organization, act, ...session }, { reduction }) =>
      rejectReduction(session, organization, reduction, act),
  }),
  end: command({
    words: 'an activated reduction stopped while its contract goes on',
    examples: [
      "gfr_… --valid-until 2026-11-01 --reason 'the wallbox was taken down'",
      "gfr_… --valid-until 2026-11-01 --reason 'the grid operator said so' --json",
    ],
    ...REDUCTION,
    options: { ...CHANGE, valid_until: needed(VALID_UNTIL) },
    work: ({ organization, act, ...session }, { reduction, ...given }) =>
      endReduction(session, organization, reduction, given, act),
  }),
  'set-dates': command({
    words: 'corrects the first day of a reduction that has begun or ended, or the end of an ended one',
    examples: [
      "gfr_… --valid-from 2026-10-15 --reason 'mistyped'",
      "gfr_… --valid-until 2026-11-02 --reason 'letter of the grid operator' --json",
    ],
    ...REDUCTION,
    options: { ...CHANGE, valid_from: VALID_FROM, valid_until: VALID_UNTIL },
    check: ({ valid_from, valid_until }) => {
      if (valid_from === undefined && valid_until === undefined)
        throw new Error('Give --valid-from, --valid-until or both');
    },
    work: ({ organization, act, ...session }, { reduction, ...given }) =>
      setReductionDates(session, organization, reduction, given, act),
  }),
};
