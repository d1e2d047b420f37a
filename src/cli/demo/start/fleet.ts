import type { StartFacts } from '../../local/facts.ts';
import { type FleetProgress, runFleet } from '../../simulation/fleet.ts';
import type { Screen } from './screen.ts';

const grouped = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });

/** Rows stored so far, rows per second, errors: what shows that the service is doing its main job. */
export function fleetLine(progress: FleetProgress): string {
  const parts = [
    `${grouped.format(progress.rowsStored)} rows stored`,
    `${grouped.format(progress.rowsPerSecond)} rows/s (best ${grouped.format(progress.rowsPerSecondMax)})`,
    `${grouped.format(progress.errors)} errors`,
  ];
  if (progress.phase === 'live') parts.push('live');
  if (progress.lastError !== undefined) parts.push(progress.lastError);
  return `Fleet    ${parts.join(' · ')}`;
}

/** Pushes real batches through the interface while the service runs; ends after its minutes or with the start. */
export async function runDemoFleet(options: {
  facts: StartFacts;
  minutes: number;
  signal: AbortSignal;
  screen: Screen;
}): Promise<void> {
  const { facts, screen } = options;
  const final = await runFleet({
    baseUrl: facts.base_url,
    clientId: facts.client_id,
    clientSecret: facts.client_secret,
    households: facts.fleet_households,
    minutes: options.minutes,
    signal: options.signal,
    onProgress: (progress) => screen.live(fleetLine(progress)),
  });
  screen.endLive();
  if (options.signal.aborted) return;
  screen.say(`  ${fleetLine(final)}`);
  screen.say('           the fleet has finished, the service goes on');
}
