import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type pg from 'pg';
import { projectFolder } from '../../scripts/data-folder.mjs';
import { openDatabase } from '../../src/platform/database/db.ts';
import { importPlans } from '../../src/tariffs/plans/import.ts';
import { importReferenceData } from '../../src/tariffs/reference-data/files/import.ts';
import { requireAnswers } from '../ingest/run.ts';
import { KnownAnswers } from '../measure/answers.ts';
import { AUTOCANNON, closedLoop } from '../measure/closed-loop.ts';
import { measure } from '../measure/leg.ts';
import { collectFacts } from '../measure/machine.ts';
import { Report } from '../measure/report.ts';
import { median } from '../measure/statistics.ts';
import type { Cleanup } from '../surroundings/cleanup.ts';
import { startMemoryService } from '../surroundings/memory-service.ts';
import { prepareSurroundings, type Service, type Surroundings } from '../surroundings/service.ts';
import { type QuotedZip, quoteBodies } from './quote-requests.ts';

export interface QuotesOptions {
  connections: number;
  /** Of one connection in one round, or a few more. */
  requests: number;
  /** How many of them differ. */
  different: number;
  rounds: number;
  quietSeconds: number;
  seed: string;
}

interface Side {
  name: string;
  service: Service;
  /** Requests for each second of processor time of the process. */
  perCore: number[];
}

/** Quotes of one plan, counted by processor time, and in turn a bare Fastify that answers the same bytes. */
export async function quotes(
  options: QuotesOptions,
  cleanup: Cleanup,
  say: (line: string) => void,
): Promise<Report> {
  const surroundings = await prepareSurroundings({}, cleanup);
  const { database, redisPid } = surroundings;
  const report = new Report('quotes', await collectFacts(database), { ...options });
  say('storing reference data and a plan');
  const plan = await storePlan(surroundings);
  const bodies = quoteBodies(options.seed, options.different, await suppliedZips(database));
  say('starting the service and the server with the bytes in memory');
  const api = await surroundings.service('quotes');
  const path = `/plans/${plan}/quote`;
  say(`asking for ${bodies.length} different quotes, one after the other`);
  const texts = await answersOf(api, path, bodies);
  const memory = await startMemoryService({ name: 'quotes', method: 'POST', path, texts }, cleanup);

  /* Each different one as often as the others. */
  const turns = Math.ceil((options.connections * options.requests) / bodies.length);
  const amount = turns * bodies.length;
  const sides: Side[] = [
    { name: 'quotes', service: api, perCore: [] },
    { name: 'memory', service: memory, perCore: [] },
  ];
  const round = async (side: Side, number: number) => {
    const { name, service } = side;
    const context = { database, redisPid, name, round: number, quietSecondsMax: options.quietSeconds };
    const headers = await service.headers();
    const expected = Array.from({ length: turns }, () => texts).flat();
    const { leg, result } = await measure({ ...context, servicePid: service.pid }, async (begin) => {
      const loop = await closedLoop({
        ...{ url: service.baseUrl + path, headers, connections: options.connections, amount },
        bodies: { at: (index) => bodies[index % bodies.length] },
        answers: new KnownAnswers(expected),
        onBegin: begin,
      });
      return { loop, rows: loop.latenciesMilliseconds.length };
    });
    requireAnswers(report, `${name}, round ${number}`, result.loop.answers, 200);
    if (number === 0) return;
    side.perCore.push((leg.requests_per_second ?? Number.NaN) / (leg.cpu.service ?? Number.NaN));
    report.add(leg);
  };

  /* As long as a round, so that V8 is done with compiling on both sides. */
  for (const side of sides) await round(side, 0);
  for (let number = 1; number <= options.rounds; number += 1) {
    say(`round ${number}: ${amount} requests to each side in turn`);
    for (const side of number % 2 === 1 ? sides : sides.toReversed()) await round(side, number);
  }
  const [quoted = Number.NaN, bare = Number.NaN] = sides.map(({ perCore }) => median(perCore));
  report.judge('P7', quoted, AUTOCANNON.name);
  report.details['requests a second for each core'] = { quotes: quoted, memory: bare };
  const whole = (value: number) => Math.round(value).toLocaleString('en');
  report.remarks.push(
    `for each core of its process: quotes ${whole(quoted)} a second, Fastify with the same bytes ${whole(bare)}`,
  );
  return report;
}

/** The reference data of the project and the plans of the demo; the id of the one whose quote has most rows. */
export async function storePlan({ databaseUrl, organization }: Surroundings): Promise<string> {
  const database = openDatabase({
    url: databaseUrl,
    applicationName: 'voltstream-load',
    connectionsMax: 1,
    onError: () => {},
  });
  const act = { staff: 'load', reason: 'load run', command: 'load', now: new Date().toISOString() };
  try {
    const folder = join(projectFolder, 'reference');
    const { problems } = await importReferenceData(database, { folder }, act);
    if (problems.length > 0) throw new Error(`The reference data has ${problems.length} problems`);
    const name = 'demo-plans.csv';
    const bytes = await readFile(join(projectFolder, 'src/cli/demo/start', name));
    const plans = await importPlans(database, organization, { name, bytes }, act);
    const plan = plans.find(({ slug }) => slug === 'dynamisch');
    if (plan === undefined) throw new Error(`${name} has no plan with this slug: dynamisch`);
    return plan.id;
  } finally {
    await database.close();
  }
}

/** Those whose operator has grid fees today. */
export async function suppliedZips(database: pg.ClientBase): Promise<QuotedZip[]> {
  const { rows } = await database.query<QuotedZip>(
    `WITH areas AS (
       SELECT DISTINCT ON (zip) zip, operator FROM zip_areas
        WHERE daterange(valid_from, valid_to) @> current_date
        ORDER BY zip, share DESC, operator)
     SELECT zip, EXISTS (SELECT FROM grid_fee_schedules AS schedule
                          WHERE schedule.operator = areas.operator
                            AND daterange(valid_from, valid_to) @> current_date) AS "hasSchedule"
       FROM areas
      WHERE EXISTS (SELECT FROM grid_fees AS fee
                     WHERE fee.operator = areas.operator AND daterange(valid_from, valid_to) @> current_date)
      ORDER BY zip`,
  );
  return rows;
}

async function answersOf(service: Service, path: string, bodies: readonly Buffer[]): Promise<string[]> {
  const headers = await service.headers();
  const texts: string[] = [];
  for (const body of bodies) {
    const answer = await fetch(service.baseUrl + path, { method: 'POST', headers, body });
    const text = await answer.text();
    if (answer.status !== 200)
      throw new Error(`${path} answers ${answer.status}: ${text} to ${body.toString()}`);
    texts.push(text);
  }
  return texts;
}
