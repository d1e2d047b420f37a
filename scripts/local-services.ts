// PostgreSQL with TimescaleDB and Valkey for a start without given addresses: from the container engine where
// one runs, else private servers from Debian's packages, unpacked in the project's own folder.
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { exclusively, isRunning, makeDataFolder, makeFolder, processIdentity } from './data-folder.mjs';
import { whyNotDebian } from './debian.mjs';
import {
  composePostgres,
  composeRedis,
  hasContainerEngine,
  isComposeRunning,
  removeCompose,
  stopCompose,
} from './local-services/compose.ts';
import {
  type PostgresService,
  postgresDirectory,
  postgresLogFile,
  runningPostmaster,
  startPostgres,
  stopPostgres,
} from './local-services/postgres.ts';
import { fetchServers, postgresProgram } from './local-services/server-packages.ts';
import { chooseServerUser } from './local-services/server-user.ts';
import { newState, readState, type ServicesState, stateFile, writeState } from './local-services/state.ts';
import {
  type RedisService,
  runningValkey,
  startValkey,
  stopValkey,
  valkeyFolder,
  valkeyLogFile,
} from './local-services/valkey.ts';

export type { PostgresService, RedisService };
export { postgresProgram };

export interface Needs {
  postgres?: boolean;
  redis?: boolean;
}

type NeededService<Selection, Service> = Selection extends true ? Service : Service | undefined;

export interface LocalServices<Selection extends Needs = { postgres: true; redis: true }> {
  postgres: NeededService<Selection['postgres'], PostgresService>;
  redis: NeededService<Selection['redis'], RedisService>;
  kind: ServicesState['kind'];
  /**
   * The servers that this call began, or found running without the process that began them: the caller ends no more than
   * those. A server of another process that still runs is its own.
   */
  started: { postgres: boolean; redis: boolean };
}

export interface ServerStatus {
  kind: ServicesState['kind'];
  running: boolean;
  port: number | undefined;
  pid: number | undefined;
  logFile: string | undefined;
}

interface StartOptions<Selection extends Needs> {
  /** Data, passwords and logs of these servers, below the project's own ignored folder. */
  folder: string;
  needs: Selection;
  /** For a private server that this call starts; one that runs keeps its own. */
  postgresSettings?: Record<string, string>;
  report?: (line: string) => void;
  /** Called when PostgreSQL's program runs, some time before it answers. */
  onBegun?: () => void;
}

/** A folder keeps the kind it began with: another one would show an empty database in its place. */
async function chooseState(folder: string): Promise<ServicesState> {
  const known = await readState(folder);
  if (known) return known;
  if (existsSync(postgresDirectory(folder))) {
    throw new Error(
      `${stateFile(folder)} with the passwords of ${postgresDirectory(folder)} is gone: put it back, or npm run services -- reset.`,
    );
  }
  if (await hasContainerEngine()) return newState('compose');
  const reason = whyNotDebian();
  if (reason === undefined) return newState('private');
  throw new Error(
    `No PostgreSQL and Redis to start here (${reason}): install Docker with its compose plugin, ` +
      'or give DATABASE_ADMIN_URL and REDIS_URL.',
  );
}

async function startPrivate(
  folder: string,
  state: ServicesState,
  needs: Needs,
  postgresSettings: Record<string, string>,
  report: (line: string) => void,
  onBegun: () => void,
) {
  await fetchServers(report);
  const data = existsSync(postgresDirectory(folder)) ? postgresDirectory(folder) : valkeyFolder(folder);
  const user = await chooseServerUser(postgresProgram('postgres'), data);
  const shared = { folder, user, report };
  return {
    postgres: needs.postgres
      ? startPostgres({
          ...shared,
          password: state.postgres.password,
          rememberedPort: state.postgres.port,
          settings: postgresSettings,
          onBegun,
        })
      : undefined,
    redis: needs.redis
      ? startValkey({ ...shared, passwords: state.redis, rememberedPort: state.redis.port })
      : undefined,
  };
}

/** One after the other: two first calls of compose at once would both create the network of the project. */
function startContainers(folder: string, state: ServicesState, needs: Needs) {
  const postgres = needs.postgres ? composePostgres(folder, state) : undefined;
  const redis = needs.redis ? Promise.resolve(postgres).then(() => composeRedis(folder, state)) : undefined;
  return { postgres, redis };
}

/** Brings up what is needed, or finds it running, and answers when both take connections. */
export async function startLocalServices<const Selection extends Needs>(
  options: StartOptions<Selection>,
): Promise<LocalServices<Selection>> {
  const { folder, needs, report = () => {}, onBegun = () => {} } = options;
  await makeDataFolder();
  await makeFolder(folder);
  const start = async (): Promise<LocalServices<Selection>> => {
    const state = await chooseState(folder);
    await writeState(folder, state);
    const starting =
      state.kind === 'private'
        ? await startPrivate(folder, state, needs, options.postgresSettings ?? {}, report, onBegun)
        : startContainers(folder, state, needs);
    const outcomes = await Promise.allSettled([starting.postgres, starting.redis]);
    const [postgres, redis] = outcomes.map((outcome) =>
      outcome.status === 'fulfilled' ? outcome.value : undefined,
    ) as [Awaited<typeof starting.postgres>, Awaited<typeof starting.redis>];
    const begun = { postgres: postgres?.started ?? false, redis: redis?.started ?? false };
    const isAbandoned = state.startedBy !== undefined && !(await isRunning(state.startedBy));
    const failure = outcomes.find((outcome) => outcome.status === 'rejected');
    if (failure) {
      await stop(folder, state, begun);
      throw failure.reason;
    }
    if (postgres) state.postgres.port = postgres.service.port;
    if (redis) state.redis.port = redis.service.port;
    const started = isAbandoned ? { postgres: postgres !== undefined, redis: redis !== undefined } : begun;
    const own = await processIdentity('self');
    if ((started.postgres || started.redis) && own !== undefined) state.startedBy = own;
    await writeState(folder, state);
    return {
      postgres: postgres?.service,
      redis: redis?.service,
      kind: state.kind,
      started,
    } as LocalServices<Selection>;
  };
  return exclusively(join(folder, 'lock'), start, () =>
    report(`Another process is starting or stopping the servers of ${folder}: waiting for it`),
  );
}

async function stop(folder: string, state: ServicesState, which: Needs) {
  const isPrivate = state.kind === 'private';
  // The queue goes first: its jobs are nudges, and nobody may be nudged towards a database that is gone.
  const redis = which.redis && (await (isPrivate ? stopValkey(folder) : stopCompose(folder, 'redis')));
  const postgres =
    which.postgres && (await (isPrivate ? stopPostgres(folder) : stopCompose(folder, 'postgres')));
  return { postgres: postgres ?? false, redis: redis ?? false };
}

/** A later start, by whatever means, is not the remembered starter's. */
async function forgetStarter(folder: string, state: ServicesState, which: Needs): Promise<void> {
  if (state.startedBy === undefined) return;
  const areAll = which.postgres === true && which.redis === true;
  const isOwn = state.startedBy === (await processIdentity('self'));
  if (!areAll && !isOwn && (await isRunning(state.startedBy))) return;
  await writeState(folder, { ...state, startedBy: undefined });
}

/** Ends the servers of this folder and says which of them ran. The data stays. */
export async function stopLocalServices(
  folder: string,
  which: Needs = { postgres: true, redis: true },
): Promise<{ postgres: boolean; redis: boolean }> {
  if (!existsSync(stateFile(folder))) return { postgres: false, redis: false };
  return exclusively(join(folder, 'lock'), async () => {
    const state = await readState(folder);
    if (!state) return { postgres: false, redis: false };
    const stopped = await stop(folder, state, which);
    await forgetStarter(folder, state, which);
    return stopped;
  });
}

export async function statusOfLocalServices(
  folder: string,
): Promise<{ postgres: ServerStatus; redis: ServerStatus } | undefined> {
  const state = await readState(folder);
  if (!state) return undefined;
  const { kind } = state;
  const base = { kind, pid: undefined, logFile: undefined };
  if (kind === 'compose') {
    const [postgres, redis] = await Promise.all([
      isComposeRunning(folder, 'postgres'),
      isComposeRunning(folder, 'redis'),
    ]);
    return {
      postgres: { ...base, running: postgres, port: state.postgres.port },
      redis: { ...base, running: redis, port: state.redis.port },
    };
  }
  const [postmaster, valkey] = await Promise.all([
    runningPostmaster(postgresDirectory(folder)),
    runningValkey(folder),
  ]);
  return {
    postgres: {
      kind,
      running: postmaster !== undefined,
      port: postmaster?.port ?? state.postgres.port,
      pid: postmaster?.pid,
      logFile: postgresLogFile(folder),
    },
    redis: {
      kind,
      running: valkey !== undefined,
      port: state.redis.port,
      pid: valkey,
      logFile: valkeyLogFile(folder),
    },
  };
}

/** Everything that a reset of this folder deletes. */
export function dataOfLocalServices(folder: string): string[] {
  const paths = [postgresDirectory(folder), valkeyFolder(folder), stateFile(folder)];
  return paths.filter((path) => existsSync(path));
}

/** Stops the servers of this folder and deletes their data. */
export async function resetLocalServices(folder: string): Promise<void> {
  if (!existsSync(folder)) return;
  await exclusively(join(folder, 'lock'), async () => {
    const state = await readState(folder).catch(() => undefined);
    if (state?.kind === 'compose') await removeCompose(folder);
    await stopValkey(folder);
    await stopPostgres(folder);
    const logs = [postgresLogFile(folder), valkeyLogFile(folder)];
    for (const path of [...dataOfLocalServices(folder), ...logs, join(folder, 'compose.env')]) {
      await rm(path, { recursive: true, force: true });
    }
  });
}
