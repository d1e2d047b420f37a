import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { realpath, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { projectFolder } from '../data-folder.mjs';
import { type PostgresService, postgresUrl } from './postgres.ts';
import type { ServicesState } from './state.ts';
import { type RedisService, redisUrls } from './valkey.ts';

const execute = promisify(execFile);
const composeFile = join(projectFolder, 'docker-compose.yml');
const probeTimeoutMilliseconds = 10_000;

const serviceNames = { postgres: 'timescaledb', redis: 'valkey' } as const;

/** A client without an engine is none, and an engine without compose does not help either. */
export async function hasContainerEngine(): Promise<boolean> {
  if (!existsSync(composeFile)) return false;
  const options = { timeout: probeTimeoutMilliseconds };
  const answers = await Promise.all([
    execute('docker', ['info', '--format', '{{.ServerVersion}}'], options),
    execute('docker', ['compose', 'version', '--short'], options),
  ]).catch(() => []);
  return answers.length === 2 && answers.every(({ stdout }) => /^v?\d/.test(stdout.trim()));
}

const passwordVariables = ['POSTGRES_PASSWORD', 'VALKEY_PASSWORD', 'VALKEY_ADMIN_PASSWORD'] as const;

/** Compose prefers the shell's variables to those of a file: another server's password must not become ours. */
const environmentWithoutPasswords = (): NodeJS.ProcessEnv =>
  Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !passwordVariables.some((each) => each === name)),
  );

/**
 * The compose project is named after the folder, so that two clones have containers and volumes of their own.
 * The passwords travel in a file: as variables they would show up in the environment of other programs.
 */
async function compose(folder: string, composeArguments: string[]): Promise<string> {
  const name = createHash('sha256')
    .update(await realpath(folder))
    .digest('hex')
    .slice(0, 12);
  const common = ['compose', '--project-name', `voltstream-${name}`, '--file', composeFile];
  try {
    const parameters = [...common, '--env-file', join(folder, 'compose.env'), ...composeArguments];
    const options = { cwd: projectFolder, env: environmentWithoutPasswords() };
    return (await execute('docker', parameters, options)).stdout;
  } catch (error) {
    const output = error instanceof Error && 'stderr' in error ? String(error.stderr) : String(error);
    throw new Error(
      `docker compose ${composeArguments[0]} failed: ${output.trim().split('\n').at(-1)} (docker compose -p voltstream-${name} logs says more)`,
    );
  }
}

async function publishedPort(folder: string, service: string, containerPort: number): Promise<number> {
  const address = (await compose(folder, ['port', service, String(containerPort)])).trim();
  const port = Number(/:(\d+)$/.exec(address)?.[1]);
  if (!(port > 0)) throw new Error(`docker-compose.yml publishes no port of ${service} on this machine.`);
  return port;
}

async function isRunning(folder: string, service: string): Promise<boolean> {
  const running = await compose(folder, ['ps', '--services', '--status', 'running']);
  return running.split('\n').includes(service);
}

async function writePasswords(folder: string, state: ServicesState): Promise<void> {
  const variables: Record<(typeof passwordVariables)[number], string> = {
    POSTGRES_PASSWORD: state.postgres.password,
    VALKEY_PASSWORD: state.redis.password,
    VALKEY_ADMIN_PASSWORD: state.redis.adminPassword,
  };
  const lines = Object.entries(variables).map(([name, value]) => `${name}=${value}\n`);
  await writeFile(join(folder, 'compose.env'), lines.join(''), { mode: 0o600 });
}

async function up(folder: string, service: string, containerPort: number) {
  const wasRunning = await isRunning(folder, service);
  await compose(folder, ['up', '--detach', '--wait', service]);
  return { port: await publishedPort(folder, service, containerPort), started: !wasRunning };
}

export async function composePostgres(
  folder: string,
  state: ServicesState,
): Promise<{ service: PostgresService; started: boolean }> {
  await writePasswords(folder, state);
  const { port, started } = await up(folder, serviceNames.postgres, 5432);
  const adminUrl = postgresUrl(state.postgres.password, port);
  return {
    service: { adminUrl, port, dataDirectory: undefined, pid: undefined, logFile: undefined },
    started,
  };
}

export async function composeRedis(
  folder: string,
  state: ServicesState,
): Promise<{ service: RedisService; started: boolean }> {
  await writePasswords(folder, state);
  const { port, started } = await up(folder, serviceNames.redis, 6379);
  return { service: { ...redisUrls(state.redis, port), port, pid: undefined, logFile: undefined }, started };
}

export const isComposeRunning = (folder: string, which: keyof typeof serviceNames): Promise<boolean> =>
  isRunning(folder, serviceNames[which]);

export async function stopCompose(folder: string, which: keyof typeof serviceNames): Promise<boolean> {
  if (!(await isRunning(folder, serviceNames[which]))) return false;
  await compose(folder, ['stop', serviceNames[which]]);
  return true;
}

/** Containers and volumes with everything stored in them. */
export async function removeCompose(folder: string): Promise<void> {
  await compose(folder, ['down', '--volumes']);
}
