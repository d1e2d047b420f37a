import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePortFrom } from '../../src/cli/local/ports.ts';
import type { Cleanup } from '../surroundings/cleanup.ts';
import { type OtherServer, startProgram } from './program.ts';

const DATABASE = 'load';

/** InfluxDB 1.x as it is delivered: each write is in its log on disk before it is answered. */
export async function startInflux(program: string, cleanup: Cleanup): Promise<OtherServer> {
  const { pid, url } = await startProgram(
    {
      name: 'InfluxDB',
      option: '--influxd',
      program,
      readyPath: '/ping',
      parameters: async (folder, port) => {
        const configuration = join(folder, 'influxd.conf');
        await writeFile(configuration, configurationText(folder, port, await freePortFrom(port + 1)));
        return ['run', '-config', configuration];
      },
    },
    cleanup,
  );
  await query(url, `CREATE DATABASE ${DATABASE}`);
  return {
    name: 'InfluxDB',
    pid,
    writeUrl: `${url}/write?db=${DATABASE}&precision=ms`,
    async count() {
      const answer = (await query(url, 'SELECT count(power_kw) FROM asset_snapshots')) as {
        results: { series?: { values: [string, number][] }[] }[];
      };
      return answer.results[0]?.series?.[0]?.values[0]?.[1] ?? 0;
    },
  };
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
