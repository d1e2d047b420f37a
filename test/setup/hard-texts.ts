import { Worker } from 'node:worker_threads';

const BYTES = 2 * 1024 * 1024;
/* A reader in linear time takes a second for each text, on a busy machine some more; a quadratic one takes minutes to hours. */
const MILLISECONDS_MAX = 120_000;

/** Two mebibytes: the pattern again and again. */
export function filled(before: string, pattern: string, after = ''): string {
  return before + pattern.repeat(Math.ceil((BYTES - before.length - after.length) / pattern.length)) + after;
}

/** What a thread says about each text: once without an answer when it begins, then with it. */
export interface HardText {
  readonly shape: string;
  readonly answer?: { readonly status: string; readonly reasonCharacters: number };
}

/**
 * Lets a file of its own read texts in a thread, up to the first one that takes too long: a reader that does not come
 * back can only be ended from outside.
 */
export async function readHardTexts(
  file: URL,
  reader: string,
): Promise<{ read: HardText[]; stuckAt: string | null }> {
  const worker = new Worker(file, { workerData: { reader } });
  const read: HardText[] = [];
  const stuckAt = await new Promise<string | null>((resolve, reject) => {
    let timer: NodeJS.Timeout | undefined;
    worker.on('message', (message: HardText) => {
      clearTimeout(timer);
      if (message.answer === undefined) timer = setTimeout(() => resolve(message.shape), MILLISECONDS_MAX);
      else read.push(message);
    });
    worker.on('error', reject);
    worker.on('exit', () => resolve(null));
  });
  await worker.terminate();
  return { read, stuckAt };
}
