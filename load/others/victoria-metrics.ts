import type { Cleanup } from '../surroundings/cleanup.ts';
import { type OtherServer, startProgram } from './program.ts';

/**
 * VictoriaMetrics, single node. It answers when rows are in its memory and writes them seconds later: what it is faster
 * by, a crash may cost.
 */
export async function startVictoriaMetrics(program: string, cleanup: Cleanup): Promise<OtherServer> {
  const { pid, url } = await startProgram(
    {
      name: 'VictoriaMetrics',
      option: '--victoria-metrics',
      program,
      readyPath: '/health',
      /* Kept for a month by default: rows of a run are up to three months old, and older ones are left out in silence. */
      parameters: async (folder, port) => [
        `-httpListenAddr=127.0.0.1:${port}`,
        `-storageDataPath=${folder}`,
        '-retentionPeriod=10y',
        '-search.latencyOffset=0s',
        '-loggerLevel=WARN',
      ],
    },
    cleanup,
  );
  return {
    name: 'VictoriaMetrics',
    pid,
    writeUrl: `${url}/write?precision=ms`,
    async count() {
      await fetch(`${url}/internal/force_flush`, { signal: AbortSignal.timeout(60_000) });
      const query = 'sum(count_over_time(asset_snapshots_power_kw[400d]))';
      const response = await fetch(`${url}/api/v1/query?nocache=1&query=${encodeURIComponent(query)}`, {
        signal: AbortSignal.timeout(60_000),
      });
      const answer = (await response.json()) as { data?: { result: { value: [number, string] }[] } };
      return Number(answer.data?.result[0]?.value[1] ?? 0);
    },
  };
}
