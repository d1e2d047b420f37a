import { Command } from 'commander';
import { leadVisited } from '../../contracts/leads/service.ts';
import { instantMicroseconds } from '../../platform/time/instant.ts';
import { instant } from '../calendar-day.ts';
import { printObject } from '../output.ts';
import { type ActOptions, known, staffAct, withActOptions, withSession } from '../session.ts';

interface VisitOptions extends ActOptions {
  at?: string;
  json?: boolean;
}

export function leadsCommand(): Command {
  return new Command('leads').addCommand(visited());
}

function visited(): Command {
  return withActOptions(new Command('visited'), 'reported by the checkout')
    .description('the link of a lead was opened')
    .argument('<lead>', 'lead_…')
    .option('--at <instant>', 'when, with time zone (2026-10-05T08:30:00Z); now where absent', instant)
    .option('--json', 'as one JSON object')
    .action((id: string, options: VisitOptions) =>
      withSession(async (session) => {
        const act = staffAct(session, options, 'leads visited');
        const visitedAt = options.at ?? act.now;
        /* The latest visit counts: one in the future would hide all that come before it. */
        if (instantMicroseconds(visitedAt) > instantMicroseconds(act.now)) {
          throw new Error(`--at: ${visitedAt} lies in the future, it is ${act.now}`);
        }
        const latest = await known(`lead ${id}`, leadVisited(session.database, id, visitedAt, act));
        printObject({ lead: id, last_visited_at: latest }, options);
      }),
    );
}
