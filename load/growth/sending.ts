import { performance } from 'node:perf_hooks';
import type pg from 'pg';
import { Bodies } from '../ingest/bodies.ts';
import { requireAnswers, requireStored, SentBatches } from '../ingest/run.ts';
import { AUTOCANNON, closedLoop } from '../measure/closed-loop.ts';
import { rowCostsOf } from '../measure/costs.ts';
import { type Leg, measure } from '../measure/leg.ts';
import { openLoop } from '../measure/open-loop.ts';
import type { Report } from '../measure/report.ts';
import { median } from '../measure/statistics.ts';
import { leaveToRounds } from '../surroundings/own-database.ts';
import { ASSETS_PER_HOUSEHOLD, type SeededHousehold } from '../surroundings/seed.ts';
import type { Service } from '../surroundings/service.ts';

export interface SendingOptions {
  rounds: number;
  /** Minutes of the fleet between two checkpoints; each of them is measured in every round. */
  checkpointMinutes: readonly number[];
  quietSeconds: number;
}

/** The cost of a row while every asset sends one a minute: medians of the rounds. */
export interface SendingCosts {
  rows_per_second: number;
  processor_microseconds_of_row: { service: number; database: number };
  wal_bytes_of_row: number;
}

const CONNECTIONS = 32;
const MINUTE_SECONDS = 60;
/** Of the fleet; with one checkpoint at least. */
const LEG_MINUTES_MIN = 10;
/** Longer than the newest lists are read at one size. */
const PACE_MINUTES_MAX = 20;
/** Nothing that is sent comes nearer to now than this. */
const MARGIN_MINUTES = 15;

/** How many minutes before now the store has to end, so that what is sent after it is not in the future. */
export function minutesToSend({ rounds, checkpointMinutes }: SendingOptions): number {
  const legs = checkpointMinutes.map((minutes) => minutes * checkpointsOfLeg(minutes));
  return rounds * legs.reduce((sum, minutes) => sum + minutes, 0) + PACE_MINUTES_MAX + MARGIN_MINUTES;
}

const checkpointsOfLeg = (minutes: number) => Math.ceil(LEG_MINUTES_MIN / minutes);

/** A fleet of which every gateway sends one row of each of its ten assets once a minute. */
export class SendingFleet {
  readonly #database: pg.Client;
  readonly #redisPid: number | null;
  readonly #service: Service;
  readonly #report: Report;
  readonly #households: number;
  readonly #sent: SentBatches;

  constructor(
    context: { database: pg.Client; redisPid: number | null; service: Service; report: Report },
    fleet: { fleet: readonly SeededHousehold[]; keys: ReadonlyMap<string, number>; beginSeconds: number },
  ) {
    this.#database = context.database;
    this.#redisPid = context.redisPid;
    this.#service = context.service;
    this.#report = context.report;
    this.#households = fleet.fleet.length;
    this.#sent = new SentBatches(new Bodies({ ...fleet, rows: ASSETS_PER_HOUSEHOLD }));
  }

  /** Sends as fast as its gateways do, while something else is done. */
  async beside<Result>(work: () => Promise<Result>): Promise<Result> {
    const over = new AbortController();
    const numbers = this.#sent.take(this.#households * PACE_MINUTES_MAX);
    const sending = openLoop({
      url: this.#url,
      headers: await this.#service.headers(),
      rate: this.#households / MINUTE_SECONDS,
      amount: numbers.length,
      bodyAt: (index) => this.#sent.bodies.at(numbers[index] as number),
      signal: over.signal,
    });
    try {
      return await work();
    } finally {
      over.abort();
      requireAnswers(this.#report, 'the fleet at its own pace', (await sending).answers, 200);
    }
  }

  /**
   * Sends as fast as the service takes it, with a checkpoint after so many minutes of the fleet: then each page is written into
   * the log as often as in a fleet that takes its time. What a checkpoint costs belongs to the rows before it.
   */
  async costs(name: string, options: SendingOptions): Promise<Record<string, SendingCosts>> {
    await leaveToRounds(this.#database);
    const legs = new Map<number, Leg[]>(options.checkpointMinutes.map((minutes) => [minutes, []]));
    for (let round = 1; round <= options.rounds; round += 1) {
      const turns = round % 2 === 1 ? [...legs] : [...legs].reverse();
      for (const [minutes, found] of turns) {
        const leg = await this.#leg(`${name}, checkpoint every ${minutes} min`, round, options, {
          minutes,
          times: checkpointsOfLeg(minutes),
        });
        this.#report.add(leg);
        found.push(leg);
      }
    }
    return Object.fromEntries(
      [...legs].map(([minutes, found]) => [`checkpoint every ${minutes} min`, costsOf(found)]),
    );
  }

  async #leg(
    name: string,
    round: number,
    { quietSeconds }: SendingOptions,
    { minutes, times }: { minutes: number; times: number },
  ): Promise<Leg> {
    const headers = await this.#service.headers();
    const context = {
      database: this.#database,
      redisPid: this.#redisPid,
      quietSecondsMax: quietSeconds,
      servicePid: this.#service.pid,
    };
    const { leg } = await measure({ ...context, name, round }, async () => {
      let [rows, requests, seconds] = [0, 0, 0];
      for (let time = 0; time < times; time += 1) {
        const numbers = this.#sent.take(this.#households * minutes);
        const bodies = numbers.map((number) => this.#sent.bodies.at(number));
        const loop = await closedLoop({
          url: this.#url,
          headers,
          connections: CONNECTIONS,
          amount: bodies.length,
          bodies,
        });
        requireStored({ report: this.#report, sent: this.#sent }, name, loop.answers, numbers);
        const begun = performance.now();
        await this.#database.query('CHECKPOINT');
        seconds += loop.seconds + (performance.now() - begun) / 1000;
        rows += loop.answers.stored;
        requests += bodies.length;
      }
      return { client: AUTOCANNON.name, rows, requests, seconds };
    });
    return leg;
  }

  get #url(): string {
    return `${this.#service.baseUrl}/asset-snapshots`;
  }
}

function costsOf(legs: readonly Leg[]): SendingCosts {
  const rounded = (value: number) => Math.round(value * 100) / 100;
  const middle = (of: (leg: Leg) => number) => rounded(median(legs.map(of)));
  const { service, database } = rowCostsOf(legs);
  return {
    rows_per_second: Math.round(middle((leg) => leg.rows_per_second)),
    processor_microseconds_of_row: { service: rounded(service), database: rounded(database) },
    wal_bytes_of_row: middle((leg) => leg.wal_bytes / leg.rows),
  };
}
