import { Worker, workerData } from 'node:worker_threads';

const MEBIBYTE = 1024 * 1024;
/*
 * A reader in linear time takes half a second for each mebibyte, on a busy machine some more; a quadratic one takes minutes
 * to hours for two.
 */
const MILLISECONDS_MAX_OF_MEBIBYTE = 60_000;

/** Of each text, in a thread that reads some; 0 outside of one. */
export const MEBIBYTES = ((workerData ?? {}) as { mebibytes?: number }).mebibytes ?? 0;

/** As many bytes: the pattern again and again. */
export function filled(before: string, pattern: string, after = ''): string {
  const times = Math.ceil((MEBIBYTES * MEBIBYTE - before.length - after.length) / pattern.length);
  return before + pattern.repeat(Math.max(times, 0)) + after;
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
  mebibytes: number,
): Promise<{ read: HardText[]; stuckAt: string | null }> {
  const worker = new Worker(file, { workerData: { mebibytes } });
  const read: HardText[] = [];
  const stuckAt = await new Promise<string | null>((resolve, reject) => {
    let timer: NodeJS.Timeout | undefined;
    worker.on('message', (message: HardText) => {
      clearTimeout(timer);
      if (message.answer !== undefined) read.push(message);
      else timer = setTimeout(() => resolve(message.shape), mebibytes * MILLISECONDS_MAX_OF_MEBIBYTE);
    });
    worker.on('error', reject);
    worker.on('exit', () => resolve(null));
  });
  await worker.terminate();
  return { read, stuckAt };
}
