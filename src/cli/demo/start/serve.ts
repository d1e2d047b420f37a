import { processEnvironment, readServiceConfig } from '../../../config/config.ts';
import type { DemoAsset, PriceKind, StartFacts } from '../../local/facts.ts';
import { readJsonFile, startFiles, writeSecretFile } from '../../local/folder.ts';
import type { BeginProcess, ServiceProcess } from '../../local/processes.ts';
import { startBlock } from './block.ts';
import { type Demo, findOrCreateDemo, startAct } from './demo.ts';
import { findOrMakeDemoAnalyst } from './demo-analyst.ts';
import { DemoApi } from './demo-api.ts';
import { ensureDemoBills } from './demo-bills.ts';
import { FIRST_REDIRECT_URI, openDemoPages } from './demo-pages.ts';
import { ensureDemoRecords } from './demo-records.ts';
import { type LocalServers, tracesEnvironment } from './environment.ts';
import { runDemoFleet } from './fleet.ts';
import {
  answersRealSource,
  beginFeed,
  choosePrices,
  priceEnvironment,
  priceWish,
  startSyntheticFeed,
} from './price-choice.ts';
import { fillPriceHistory, pricesLine, pullNearDays } from './price-history.ts';
import { storeFirstReferenceData } from './reference-data.ts';
import { keepRunning, nextEnvironment, startService } from './running-service.ts';
import type { Screen } from './screen.ts';

export interface StartOptions {
  prices?: PriceKind;
  demo?: boolean;
  minutes: number;
  json: boolean;
}

const SNAPSHOT_TABLE = 'asset_snapshots';

/** Starts the service with its demo on servers that come up meanwhile, and keeps it running until the signal. */
export async function serve(start: {
  preparing: Promise<LocalServers>;
  options: StartOptions;
  screen: Screen;
  begin: BeginProcess;
  /** Ended with the start, in reverse. */
  begun: { stop(): Promise<void> }[];
  signal: AbortSignal;
}): Promise<void> {
  const { options, screen, begin, begun, signal } = start;
  const shell = processEnvironment();
  const wish = priceWish(options.prices, shell);
  /* Asked while the servers come up, so that nobody waits for it. */
  const answers = wish === undefined ? answersRealSource() : Promise.resolve(false);
  const servers = await start.preparing;

  const choice = await choosePrices({ databaseUrl: servers.appUrl, wish, answers });
  const feed = choice.kind === 'synthetic' ? await startSyntheticFeed(begin) : null;
  const known = await readJsonFile<StartFacts>(startFiles.facts);
  const pages = await openDemoPages(known?.redirect_uri ?? FIRST_REDIRECT_URI);
  begun.push(pages);
  const more = {
    ...priceEnvironment(feed?.url ?? null, shell),
    ...tracesEnvironment(shell),
    CHECKOUT_HOST: pages.checkoutHost,
    API_PROCESSES: shell.API_PROCESSES ?? '',
    DEMO_CLIENT: '',
  };
  const config = readServiceConfig(await nextEnvironment(servers, more, shell));
  screen.done(await storeFirstReferenceData(config));
  const { demo, isNew } = await findOrCreateDemo(config, pages.redirectUri);
  screen.done(isNew ? 'demo organization created' : 'demo organization found');

  const analyst = await findOrMakeDemoAnalyst(
    { ownerUrl: servers.ownerUrl, known: known?.analyst_url ?? null },
    demo.organization,
    startAct(),
  );
  if (analyst.problem !== null) screen.say(`  No account for an analyst: ${analyst.problem}`);

  /* Nobody is turned away for prices: the worker asks again. */
  const pulling = pullNearDays(config).catch(() => 0);
  const { environment, api, worker } = await startService(
    servers,
    { ...more, DEMO_CLIENT: `${demo.client_id}:${demo.client_secret}` },
    shell,
    begin,
  );
  pages.lead({ base_url: environment.BASE_URL, client_id: demo.client_id });
  screen.done(`API${config.processes > 1 ? ` (${config.processes} processes)` : ''} and worker ready`);
  screen.done(await pulling.then((days) => pricesLine(choice, days)));
  await writeSecretFile(
    startFiles.environment,
    Object.entries({ ...environment, DATABASE_OWNER_URL: servers.ownerUrl })
      .map(([name, value]) => `${name}=${value}\n`)
      .join(''),
  );
  const tell = (text: string) => {
    if (!signal.aborted) screen.say(`  ${text}`);
  };
  /* Its client or its organization may be switched off, or its secret be another: only a running service takes that back. */
  const assets = await demoAssets(environment.BASE_URL, demo).catch((error: Error) => {
    if (signal.aborted) throw error;
    tell(`Devices of the demo were not looked at: ${error.message}`);
    tell(
      'clients enable and organizations set-standing take it back; a new secret belongs into .data/start.json',
    );
    return isNew ? [] : (known?.assets ?? []);
  });
  const facts: StartFacts = {
    base_url: environment.BASE_URL,
    database_url: servers.lookUrl,
    analyst_url: analyst.address,
    redis_url: servers.redisUrl,
    organization: demo.organization,
    client_id: demo.client_id,
    client_secret: demo.client_secret,
    redirect_uri: demo.redirect_uri,
    household: demo.household,
    assets,
    snapshot_table: SNAPSHOT_TABLE,
    prices: choice.kind,
    feed_url: feed?.url ?? null,
    fleet_households: demo.fleet_households,
    api_pid: api.pid,
    worker_pid: worker.pid,
  };
  await ensureDemoRecords(config, environment.BASE_URL, demo).then(
    () =>
      screen.done(
        'demo plans, contracts and usage are there; bills follow when the prices of their months do',
      ),
    (error: Error) =>
      tell(`Records of the demo are not complete, the next start goes on with them: ${error.message}`),
  );
  const writeFacts = () =>
    writeSecretFile(startFiles.facts, `${JSON.stringify(facts, null, 2)}\n`).catch((error: Error) =>
      tell(`The facts of this start were not written: ${error.message}`),
    );
  await writeFacts();
  await writeSecretFile(
    startFiles.running,
    `${JSON.stringify({ pid: process.pid, base_url: facts.base_url })}\n`,
  );
  if (options.json) process.stdout.write(`${JSON.stringify(facts)}\n`);
  else screen.say(startBlock(facts));

  const history = fillPriceHistory({ environment, kind: choice.kind, begin });
  /* Bills need the prices of their months. */
  const billing = history.then(async (text) => {
    tell(text);
    tell(await ensureDemoBills({ ...config, ownerUrl: servers.ownerUrl }, demo.organization));
  });
  void billing.catch((error: Error) =>
    tell(`prices or bills of the demo are not complete: ${error.message}`),
  );
  /* A process that dies is begun again at the same address: tokens and the configuration of the others name it. */
  const keep = (part: ServiceProcess, again: () => ServiceProcess, onNext: (pid: number) => void) =>
    keepRunning(part, {
      begin: again,
      signal,
      async onRestart(next, reason) {
        onNext(next.pid);
        await writeFacts();
        tell(
          `${next.name} ended (${reason}) and was started again (process ${next.pid}); log: ${next.logFile}`,
        );
      },
    });
  const keeping = [
    keep(
      api,
      () => begin('API', 'src/main.ts', environment),
      (pid) => {
        facts.api_pid = pid;
      },
    ),
    keep(
      worker,
      () => begin('Worker', 'workers/main.ts', environment),
      (pid) => {
        facts.worker_pid = pid;
      },
    ),
    ...(feed === null
      ? []
      : [
          keep(
            feed.process,
            () => beginFeed(begin, feed.url),
            () => {},
          ),
        ]),
  ];
  if (options.demo ?? isNew) {
    void runDemoFleet({ facts, minutes: options.minutes, signal, screen }).catch((error: Error) =>
      tell(`The fleet simulation failed, the service goes on: ${error.message}`),
    );
  }
  const failure = await Promise.race([
    servers.ended(signal),
    ...keeping.map((kept) => kept.then(() => null)),
  ]);
  if (failure !== null && !signal.aborted) throw new Error(failure);
}

/** One device of every type, as an installer would register them; the solar array and the battery need the inverter. */
function devices(inverter: string) {
  return [
    {
      type: 'solar',
      external_id: 'demo-solar-1',
      display_name: 'Roof',
      parent_inverter: inverter,
      solar: { peak_power_kw: 9.8, azimuth: 180, tilt: 35 },
    },
    {
      type: 'battery',
      external_id: 'demo-battery-1',
      display_name: 'Battery',
      parent_inverter: inverter,
      battery: { capacity_kwh: 10, max_charge_power_kw: 5, max_discharge_power_kw: 5 },
    },
    {
      type: 'wallbox',
      external_id: 'demo-wallbox-1',
      display_name: 'Wallbox',
      wallbox: { max_power_kw: 11, phases: 3 },
    },
    {
      type: 'heat_pump',
      external_id: 'demo-heat-pump-1',
      display_name: 'Heat pump',
      heat_pump: { max_power_kw: 4, thermal_power_kw: 12 },
    },
  ];
}

const INVERTER = {
  type: 'inverter',
  external_id: 'demo-inverter-1',
  display_name: 'Inverter',
  inverter: { max_power_kw: 10, hybrid: true },
};

/** The assets of the demo household, created where they are missing. */
async function demoAssets(baseUrl: string, demo: Demo): Promise<DemoAsset[]> {
  const api = await DemoApi.open(baseUrl, demo);
  const list = async () => {
    const path = `/assets?limit=100&filter%5Bhousehold%5D%5Beq%5D=${demo.household}`;
    return (await api.call<{ items: DemoAsset[] }>('GET', path)).items;
  };
  const present = new Map((await list()).map((asset) => [asset.external_id, asset.id]));
  const ensure = async (device: { external_id: string }): Promise<string> =>
    present.get(device.external_id) ??
    (await api.call<{ id: string }>('POST', '/assets', { household: demo.household, ...device })).id;
  const inverter = await ensure(INVERTER);
  for (const device of devices(inverter)) await ensure(device);
  return (await list()).map(({ id, type, external_id }) => ({ id, type, external_id })).toReversed();
}
