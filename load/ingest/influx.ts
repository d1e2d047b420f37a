import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { dataFolder } from '../../scripts/data-folder.mjs';
import { freePortFrom } from '../../src/cli/local/ports.ts';
import type { Cleanup } from '../surroundings/cleanup.ts';
import { WrongUse } from '../surroundings/failures.ts';

/** An InfluxDB 1.x of the run's own: a second thing to compare with, where its program is given. */
export interface Influx {
  writeUrl: string;
  count(): Promise<number>;
}

const DATABASE = 'load';
const READY_SECONDS_MAX = 30;
const API_PORT = 4500;

export async function startInflux(program: string, cleanup: Cleanup): Promise<Influx> {
  const folder = join(dataFolder, 'load', 'influx');
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const port = await freePortFrom(API_PORT);
  const configuration = join(folder, 'influxd.conf');
  await writeFile(configuration, configurationText(folder, port, await freePortFrom(port + 1)));
  const log = openSync(join(folder, 'influxd.log'), 'a');
  const server = spawn(program, ['run', '-config', configuration], { stdio: ['ignore', log, log] });
  const ended = once(server, 'exit').catch((error: unknown) => {
    throw new WrongUse(
      `--influxd: ${program} cannot be run (${error instanceof Error ? error.message : error})`,
    );
  });
  cleanup.add(async () => {
    server.kill('SIGTERM');
    await ended;
    await rm(folder, { recursive: true, force: true });
  });
  const url = `http://127.0.0.1:${port}`;
  await Promise.race([waitUntilReady(url), ended]);
  await query(url, `CREATE DATABASE ${DATABASE}`);
  return {
    writeUrl: `${url}/write?db=${DATABASE}&precision=s`,
    async count() {
      const answer = (await query(url, 'SELECT count(power_kw) FROM asset_snapshots')) as {
        results: { series?: { values: [string, number][] }[] }[];
      };
      return answer.results[0]?.series?.[0]?.values[0]?.[1] ?? 0;
    },
  };
}

/** The rows of a file for `\copy` in InfluxDB's line protocol: the asset is the tag, absent values are left out. */
export function lineProtocol(copyLines: Buffer): Buffer {
  const lines = copyLines.toString().trimEnd().split('\n');
  return Buffer.from(
    lines
      .map((line) => {
        const [asset, timestamp = '', ...values] = line.split('\t');
        const fields = values.flatMap((value, index) =>
          value === '\\N' ? [] : [`${FIELDS[index]}=${value}`],
        );
        return `asset_snapshots,asset=${asset} ${fields.join(',')} ${Date.parse(timestamp) / 1000}`;
      })
      .join('\n'),
  );
}

const FIELDS = ['power_kw', 'state_of_charge', 'connected', 'vehicle_state_of_charge'];

async function waitUntilReady(url: string): Promise<void> {
  const deadline = performance.now() + READY_SECONDS_MAX * 1000;
  while (performance.now() < deadline) {
    const response = await fetch(`${url}/ping`, { signal: AbortSignal.timeout(1000) }).catch(() => null);
    if (response?.ok) return;
    await wait(100);
  }
  throw new WrongUse(`--influxd: the server does not answer after ${READY_SECONDS_MAX} s`);
}

async function query(url: string, text: string): Promise<unknown> {
  const response = await fetch(`${url}/query?db=${DATABASE}`, {
    method: 'POST',
    body: new URLSearchParams({ q: text }),
    signal: AbortSignal.timeout(60_000),
  });
  return await response.json();
}

function configurationText(folder: string, port: number, otherPort: number): string {
  return `reporting-disabled = true
bind-address = "127.0.0.1:${otherPort}"
[meta]
  dir = "${join(folder, 'meta')}"
[data]
  dir = "${join(folder, 'data')}"
  wal-dir = "${join(folder, 'wal')}"
  query-log-enabled = false
[http]
  bind-address = "127.0.0.1:${port}"
  log-enabled = false
  max-body-size = 0
[monitor]
  store-enabled = false
`;
}
