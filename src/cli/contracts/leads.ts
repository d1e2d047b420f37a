import { leadVisited } from '../../contracts/leads/service.ts';
import { instantMicroseconds } from '../../platform/time/instant.ts';
import { command } from '../engine/command.ts';
import { act, instant, JSON_OBJECT, option } from '../engine/fields.ts';

export const commands = {
  visited: command({
    words: 'the link of a lead was opened',
    examples: ['lead_…', 'lead_… --at 2026-10-05T08:30:00Z --json'],
    arguments: { lead: 'lead_…' },
    options: {
      ...act('reported by the checkout'),
      at: option('<instant>', 'when, with time zone (2026-10-05T08:30:00Z); now where absent', instant),
      ...JSON_OBJECT,
    },
    thing: 'lead',
    work: async ({ database, act }, { lead, at = act.now }) => {
      /* The latest visit counts: one in the future would hide all that come before it. */
      if (instantMicroseconds(at) > instantMicroseconds(act.now)) {
        throw new Error(`--at: ${at} lies in the future, it is ${act.now}`);
      }
      return { lead, last_visited_at: await leadVisited(database, lead, at, act) };
    },
  }),
};
