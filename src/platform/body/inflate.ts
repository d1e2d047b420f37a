import type { Transform } from 'node:stream';
import {
  constants,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createZstdDecompress,
} from 'node:zlib';
import { joinPieces } from '../database/buffer-pool.ts';
import { type Failure, unavailable } from '../errors.ts';
import type { InTurn } from '../fair-queue.ts';
import { bodyFailure, bodyTooLarge, sizeInWords } from './failures.ts';
import type { RoomShare } from './room.ts';

export const CONTENT_CODINGS = ['gzip', 'deflate', 'br', 'zstd'] as const;
export type ContentCoding = (typeof CONTENT_CODINGS)[number];

/** One step of the thread pool: a full batch of snapshots (1.5 MB) takes six. */
const CHUNK_BYTES = 256 * 1024;
/** 8 MiB, what RFC 9659 lets a sender use; Node's default accepts frames that ask for 128 MiB. */
const ZSTD_WINDOW_LOG_MAX = 23;
/** 4 MiB, what encoders use unless they are told otherwise. */
const BROTLI_WINDOW_LOG_MAX = 22;
/**
 * Out of a body may come 1 MiB, and beyond that so many times its size: what gzip can do by its format. The densest batch
 * of 10,000 equal rows has 111 (zstd); 53 bytes of brotli can hold 16 MiB.
 */
const EXPANSION_MAX = 1_032;
const EXPANSION_FREE_BYTES = 1024 * 1024;

const atOnce: InTurn = (work) => work();

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
 * Inflates a body that has arrived: while it arrives nothing but its own bytes is held. Never past `bytesMax`: a kilobyte
 * can hold gigabytes, so only counting what comes out protects. The share is asked for room before the next step; while
 * it waits the inflater rests.
 *
 * A step of gzip, deflate or zstd ends when its chunk is full. One of brotli ends when its window is full: 4 MiB out of 20
 * bytes, 12 ms of one of the four threads that the whole process shares. So brotli waits for its turn.
 */
export function inflateBody(
  received: Buffer,
  coding: ContentCoding,
  bytesMax: number,
  share: RoomShare,
  inTurn: InTurn = atOnce,
): Promise<Buffer> {
  if (coding !== 'br') return inflated(received, coding, bytesMax, share);
  if (brotliWindowLog(received) > BROTLI_WINDOW_LOG_MAX) {
    return Promise.reject(bodyFailure('The br data needs a window of more than 4 MiB'));
  }
  return inTurn(() => inflated(received, coding, bytesMax, share));
}

function inflated(
  received: Buffer,
  coding: ContentCoding,
  bytesMax: number,
  share: RoomShare,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const inflater = INFLATERS[coding]();
    const chunks: Buffer[] = [];
    let length = 0;

    const fail = (error: Error) => {
      inflater.removeAllListeners('data').destroy();
      reject(error);
    };
    inflater.on('data', (chunk: Buffer) => {
      length += chunk.length;
      const refused = refusedFor(length, received.length, bytesMax);
      if (refused !== undefined) return fail(refused);
      chunks.push(chunk);
      const wait = share.cover(received.length + length, received.length + bytesMax);
      if (wait === undefined) return;
      inflater.pause();
      wait.then(() => inflater.resume(), fail);
      /* Who waits would keep the turn from others. */
      if (coding === 'br') fail(unavailable());
    });
    inflater.on('error', (error) => fail(corrupt(coding, error)));
    inflater.on('end', () => {
      /* Bytes behind the end of the coded data would be dropped in silence. */
      if (received.length === 0 || inflater.bytesWritten !== received.length) return fail(corrupt(coding));
      resolve(joinPieces(chunks, length));
    });
    inflater.end(received);
  });
}

function refusedFor(length: number, receivedLength: number, bytesMax: number): Failure | undefined {
  if (length > bytesMax) return bodyTooLarge(bytesMax);
  if (length <= Math.max(EXPANSION_FREE_BYTES, receivedLength * EXPANSION_MAX)) return undefined;
  const limit = `${EXPANSION_MAX} times what was sent, and at most ${sizeInWords(bytesMax)}`;
  return bodyFailure(`The body expands too far: up to ${limit}, is read`, { status: 413 });
}

/** RFC 7932, 9.1: the window stands in the first bits of the stream. */
function brotliWindowLog(bytes: Buffer): number {
  const first = bytes[0] ?? 0;
  const large = (first >> 1) & 0b111;
  return (first & 1) === 1 && large > 0 ? 17 + large : 17;
}

function corrupt(coding: ContentCoding, cause?: Error) {
  return bodyFailure(`The body is not valid ${coding} data`, { cause });
}
