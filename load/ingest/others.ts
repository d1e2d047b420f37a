import { MEASURED } from '../../src/telemetry/snapshots/fields.ts';
import { measure } from '../measure/leg.ts';
import type { Report } from '../measure/report.ts';
import { SOCKET } from '../measure/socket-loop.ts';
import { startInflux } from '../others/influx.ts';
import type { OtherServer } from '../others/program.ts';
import { startVictoriaMetrics } from '../others/victoria-metrics.ts';
import type { Cleanup } from '../surroundings/cleanup.ts';
import { legContext, type Run, requireAnswers } from './run.ts';

export interface OtherPrograms {
  influxd?: string;
  victoriaMetrics?: string;
}

const OPTIONS = { InfluxDB: '--influxd PATH', VictoriaMetrics: '--victoria-metrics PATH' } as const;

/** The servers of others that a run compares with, in turns with the service. */
export class Others {
  readonly servers: readonly OtherServer[];
  /** What each of them has acknowledged. */
  readonly #rows = new Map<OtherServer, number>();

  constructor(servers: readonly OtherServer[]) {
    this.servers = servers;
  }

  /** Those whose program is named; the report says which are not. */
  static async start(programs: OtherPrograms, report: Report, cleanup: Cleanup): Promise<Others> {
    const { influxd, victoriaMetrics } = programs;
    const servers: OtherServer[] = [];
    if (influxd !== undefined) servers.push(await startInflux(influxd, cleanup));
    if (victoriaMetrics !== undefined) servers.push(await startVictoriaMetrics(victoriaMetrics, cleanup));
    for (const [name, option] of Object.entries(OPTIONS)) {
      if (!servers.some((server) => server.name === name))
        report.remarks.push(`${name}: not run (${option})`);
    }
    return new Others(servers);
  }

  /** One leg: a request for each of these batches, one point for each row. Rows a second; round 0 is not reported. */
  async send(
    run: Run,
    server: OtherServer,
    { name, round, connections }: { name: string; round: number; connections: number },
    numbers: readonly number[],
  ): Promise<number> {
    const { bodies } = run.sent;
    const lines = numbers.map((number) => lineProtocol(bodies.copyLinesAt(number)));
    const { leg, result } = await measure(
      { ...legContext(run), name, round, servicePid: server.pid },
      async (begin) => {
        const loop = await SOCKET.loop({
          url: server.writeUrl,
          headers: { 'content-type': 'text/plain' },
          ...{ connections, amount: lines.length, bodies: lines, onBegin: begin },
        });
        return { loop, rows: lines.length * bodies.rows };
      },
    );
    requireAnswers(run.report, `${name}, round ${round}`, result.loop.answers, 204);
    this.#rows.set(server, (this.#rows.get(server) ?? 0) + result.rows);
    if (round > 0) run.report.add(leg);
    return leg.rows_per_second;
  }

  /** A row that is not there was not stored: a fast server that loses rows fails the run. */
  async verify(report: Report): Promise<void> {
    for (const server of this.servers) {
      const [stored, sent] = [await server.count(), this.#rows.get(server) ?? 0];
      report.details[`rows stored by ${server.name}`] = stored;
      if (stored !== sent) report.problems.push(`${server.name}: ${stored} rows counted, ${sent} sent`);
    }
  }
}

/** How the service compares with others; no exit code depends on it unless a target is judged by it. */
export function reportRatios(
  report: Report,
  what: string,
  ours: number,
  theirs: readonly { name: string; speed: number }[],
): void {
  for (const { name, speed } of theirs) {
    report.details[`${what}: against ${name}`] = ours / speed;
    report.remarks.push(`${what}: ${(ours / speed).toFixed(2)} times as fast as ${name}`);
  }
}

/** Rows of a file for `\copy` in InfluxDB's line protocol: the asset is the tag, absent values are left out. Instants in milliseconds. */
export function lineProtocol(copyLines: Buffer): Buffer {
  const lines = copyLines.toString().trimEnd().split('\n');
  return Buffer.from(
    lines
      .map((line) => {
        const [asset, timestamp = '', ...values] = line.split('\t');
        const fields = values.flatMap((value, index) =>
          value === '\\N' ? [] : [`${MEASURED.names[index]}=${value}`],
        );
        return `asset_snapshots,asset=${asset} ${fields.join(',')} ${Date.parse(timestamp)}`;
      })
      .join('\n'),
  );
}
