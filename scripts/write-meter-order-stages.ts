// Writes the table of stages of a meter order in docs/operating.md from src/contracts/meter-orders/moves.ts.
// `node scripts/node.mjs scripts/write-meter-order-stages.ts`; a test compares the page with the stages.
import {
  isFinal,
  mayFollow,
  type Position,
  positionOf,
  STAGE_NAMES,
  STAGES,
  STEPS,
  type StageName,
  type StepName,
} from '../src/contracts/meter-orders/moves.ts';
import { meterOrderTopics } from '../src/contracts/meter-orders/topics.ts';
import { type WrittenPage, withTable, writeOperatingPage } from './operating-table.ts';

const code = (text: string) => `\`${text}\``;

export function meterOrderStagesPage(): WrittenPage {
  const rows = STAGE_NAMES.map((name) => [
    nameOf(name),
    STAGES[name].meaning,
    publicOf(name),
    setsOf(name),
    code(meterOrderTopics[topicOf(name)].name),
    followersOf(name),
  ]);
  return withTable(
    ['Internal value', 'Meaning', 'Status from curie on', 'Sets', 'Event when reached', 'May follow'],
    rows,
  );
}

function nameOf(name: StageName): string {
  const { status } = STAGES[name];
  return status === name ? code(name) : `${code(status)} with ${name.replaceAll('_', ' ')}`;
}

function publicOf(name: StageName): string {
  const stage = STAGES[name];
  if (stage.kind === 'block') return `as before, ${code(stage.blocked_reason)}`;
  return stage.kind === 'end' ? `${code(stage.public)}, ${code(stage.cancelled_reason)}` : code(stage.public);
}

function setsOf(name: StageName): string {
  const stage = STAGES[name];
  if (stage.kind === 'block') return code('blocked_at');
  if (stage.kind === 'end') return code('cancelled_at');
  if (name === 'installation_scheduled') return code('appointment_at');
  return stage.sets === undefined ? '' : code(stage.sets);
}

function topicOf(name: StageName): keyof typeof meterOrderTopics {
  const stage = STAGES[name];
  return stage.kind === 'block' ? 'blocked' : stage.public;
}

/** Of a block: what may follow whatever it lies on. */
function followersOf(name: StageName): string {
  const position = positionAt(name);
  if (isFinal(position)) return 'nothing: final';
  const followers = STAGE_NAMES.filter((next) => mayFollow(position, next));
  const steps = followers.filter((next) => next in STEPS).map(nameOf);
  const marks = followers.filter((next) => !(next in STEPS)).map(nameOf);
  const onward = STAGES[name].kind === 'block' ? 'what may follow the value before' : steps.join(', ');
  return [onward, ...marks].join(', ');
}

function positionAt(name: StageName): Position {
  const { status, kind } = STAGES[name];
  const details_received_at = name === 'details_received' ? '2026-10-05T08:40:00.000Z' : null;
  const unblocked_status = kind === 'block' ? ('intended' satisfies StepName) : status;
  return positionOf({ status, unblocked_status, details_received_at });
}

if (import.meta.main) writeOperatingPage(meterOrderStagesPage());
