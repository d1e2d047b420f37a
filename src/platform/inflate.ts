import type { Readable, Transform } from 'node:stream';
import {
  constants,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createZstdDecompress,
} from 'node:zlib';
import { bodyFailure, bodyInterrupted, bodyTooLarge } from './body-failures.ts';

export const CONTENT_CODINGS = ['gzip', 'deflate', 'br', 'zstd'] as const;
export type ContentCoding = (typeof CONTENT_CODINGS)[number];

/** One step of the thread pool: a full batch of snapshots (1.5 MB) takes six. */
const CHUNK_BYTES = 256 * 1024;
/** 8 MiB, what RFC 9659 lets a sender use; Node's default accepts frames that ask for 128 MiB. */
const ZSTD_WINDOW_LOG_MAX = 23;

const INFLATERS: Readonly<Record<ContentCoding, () => Transform & { bytesWritten: number }>> = {
  gzip: () => createGunzip({ chunkSize: CHUNK_BYTES }),
  deflate: () => createInflate({ chunkSize: CHUNK_BYTES }),
  br: () => createBrotliDecompress({ chunkSize: CHUNK_BYTES }),
  zstd: () =>
    createZstdDecompress({
      chunkSize: CHUNK_BYTES,
      params: { [constants.ZSTD_d_windowLogMax]: ZSTD_WINDOW_LOG_MAX },
    }),
};

/**
 * Inflates a body while it arrives, never past `bytesMax`: a kilobyte can hold gigabytes, so only counting what comes
 * out protects. `cover` is asked for room before the next step; while it waits the inflater rests.
 */
export function inflateBody(
  request: Readable,
  coding: ContentCoding,
  bytesMax: number,
  cover: (bytes: number) => Promise<void> | undefined,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const inflater = INFLATERS[coding]();
    const chunks: Buffer[] = [];
    let received = 0;
    let inflated = 0;

    const onData = (chunk: Buffer) => {
      received += chunk.length;
      if (received > bytesMax) fail(bodyTooLarge(bytesMax));
      else if (!inflater.write(chunk)) request.pause();
    };
    const onEnd = () => {
      /* A request closes after its end as well, while the inflater may still be at work. */
      request.off('close', onInterrupted);
      inflater.end();
    };
    const onInterrupted = (error?: Error) => fail(bodyInterrupted(error));
    /* What still arrives after a refusal is read and dropped: a stopped stream would block the connection. */
    const fail = (error: Error) => {
      request.off('data', onData).off('end', onEnd).off('close', onInterrupted);
      inflater.removeAllListeners('data').removeAllListeners('drain').destroy();
      request.resume();
      reject(error);
    };

    request.on('data', onData).on('end', onEnd).on('error', onInterrupted).on('close', onInterrupted);
    inflater.on('drain', () => request.resume());
    inflater.on('data', (chunk: Buffer) => {
      inflated += chunk.length;
      if (inflated > bytesMax) return fail(bodyTooLarge(bytesMax));
      chunks.push(chunk);
      const wait = cover(inflated);
      if (wait === undefined) return;
      inflater.pause();
      wait.then(() => inflater.resume(), fail);
    });
    inflater.on('error', (error) => fail(corrupt(coding, error)));
    inflater.on('end', () => {
      /* Bytes behind the end of the coded data would be dropped in silence. */
      if (received === 0 || inflater.bytesWritten !== received) return fail(corrupt(coding));
      resolve(Buffer.concat(chunks, inflated));
    });
  });
}

function corrupt(coding: ContentCoding, cause?: Error) {
  return bodyFailure(`The body is not valid ${coding} data`, { cause });
}
