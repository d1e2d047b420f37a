import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { z } from 'zod';
import { sendSignal, waitUntilGone, worksIn } from '../../scripts/local-services/server-processes.ts';
import { livingChildren } from '../measure/processor.ts';
import { connect } from '../surroundings/connect.ts';
import { WrongUse } from '../surroundings/failures.ts';

const nodesSchema = z
  .array(
    z.strictObject({
      name: z.string().min(1),
      /** A superuser's. */
      adminUrl: z.url({ protocol: /^postgres(ql)?$/ }),
      /** The server's data directory on this machine. */
      data: z.string().min(1),
      /** Program and arguments that start the server; whether they end then or stay does not matter. */
      start: z.array(z.string()).min(1),
    }),
  )
  .min(3);

export type NodeSettings = z.output<typeof nodesSchema>[number];

/** The coordinator first, then two workers; a third one is added while rows are written. */
export async function readNodes(path: string): Promise<NodeSettings[]> {
  const text = await readFile(path, 'utf8').catch(() => {
    throw new WrongUse(`--nodes: ${path} cannot be read`);
  });
  try {
    return nodesSchema.parse(JSON.parse(text));
  } catch (error) {
    const why = error instanceof z.ZodError ? z.prettifyError(error) : String(error);
    throw new WrongUse(`--nodes: ${path} is no list of a coordinator and at least two workers\n${why}`);
  }
}

const READY_SECONDS_MAX = 120;
const GONE_SECONDS_MAX = 10;
const LOOK_MILLISECONDS = 20;

/** A server of the cluster that a run may kill. */
export class MortalNode {
  readonly name: string;
  readonly adminUrl: string;
  readonly #settings: NodeSettings;
  #isDead = false;

  constructor(settings: NodeSettings) {
    this.#settings = settings;
    this.name = settings.name;
    this.adminUrl = settings.adminUrl;
  }

  /** All its processes at once, as a power cut would. */
  async kill(): Promise<void> {
    const { data } = this.#settings;
    const first = Number((await readFile(join(data, 'postmaster.pid'), 'utf8')).split('\n')[0]);
    if (!(await worksIn(first, data))) throw new Error(`${this.name}: no server works in ${data}`);
    /* Held first, so that it starts no process that is not in the list. */
    sendSignal(first, 'SIGSTOP');
    this.#isDead = true;
    const all = [first, ...livingChildren(first)];
    for (const pid of all) sendSignal(pid, 'SIGKILL');
    if (!(await waitUntilGone(all, GONE_SECONDS_MAX))) throw new Error(`${this.name} cannot be killed`);
  }

  /** Until it takes connections. */
  async start(): Promise<void> {
    const [program = '', ...parameters] = this.#settings.start;
    const child = spawn(program, parameters, { detached: true, stdio: 'ignore' });
    await once(child, 'spawn');
    child.unref();
    const deadline = performance.now() + READY_SECONDS_MAX * 1000;
    for (;;) {
      const client = await connect(this.adminUrl, `${this.name} does not come back`).catch(
        (error: unknown) => {
          if (performance.now() > deadline) throw error;
          return null;
        },
      );
      if (client !== null) {
        await client.end();
        this.#isDead = false;
        return;
      }
      await wait(LOOK_MILLISECONDS);
    }
  }

  /** However the run ends, the cluster is whole again. */
  async revive(): Promise<void> {
    if (this.#isDead) await this.start();
  }
}
