import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import { type BufferPool, freeMemory, joinPieces } from '../database/buffer-pool.ts';
import type { InTurn } from '../fair-queue.ts';
import { askForBody } from './expect-continue.ts';
import { bodyFailure, bodyInterrupted, bodyTooLarge, bodyTooSlow } from './failures.ts';
import { CONTENT_CODINGS, type ContentCoding, inflateBody } from './inflate.ts';
import { leave, watchArrival } from './pace.ts';
import type { BodyRoom, RoomShare } from './room.ts';

export interface BodyLimits {
  /** Largest body after inflating; what is received is held to the same limit. */
  bytesMax: number;
  /** Where the memory of bodies is counted together. */
  room: BodyRoom;
  /** Whose body it is: an organization, or all strangers. */
  holder: string;
  /** In which what is costly to inflate waits for its turn; needed where codings are taken. */
  inTurn?: InTurn;
  /** Content codings are taken. Not from strangers: a kilobyte of theirs would hold a megabyte. */
  codings: boolean;
  /** For bodies that nobody needs as bytes after they were read. */
  pool?: BufferPool;
}

export interface ReceivedBody {
  /** As sent, after inflating. */
  bytes: Buffer;
  /** Gives the room back; to be called when the answer is sent. Harmless when it is called twice. */
  release(): void;
}

/** Reads and inflates a body of any kind. */
export async function receiveBody(
  request: Readable,
  headers: IncomingHttpHeaders,
  limits: BodyLimits,
): Promise<ReceivedBody> {
  const coding = codingOf(headers, limits.codings);
  const declared = headers['content-length'] === undefined ? undefined : Number(headers['content-length']);
  if (declared !== undefined && declared > limits.bytesMax) throw bodyTooLarge(limits.bytesMax);

  const share = limits.room.share(limits.holder, declared);
  try {
    askForBody(request);
    const received = await collect(request, declared, limits, share);
    let bytes = received;
    if (coding !== 'identity') {
      bytes = await inflateBody(received, coding, limits.bytesMax, share, limits.inTurn);
      limits.pool?.give(received);
    }
    return { bytes, release: () => share.release() };
  } catch (error) {
    share.release();
    throw error;
  }
}

function codingOf(headers: IncomingHttpHeaders, areTaken: boolean): ContentCoding | 'identity' {
  const text = headers['content-encoding']?.trim().toLowerCase();
  if (text === undefined || text === 'identity') return 'identity';
  const taken = areTaken ? CONTENT_CODINGS : [];
  const coding = taken.find((candidate) => candidate === text);
  if (coding !== undefined) return coding;
  const accepted = [...taken, 'identity'].join(', ');
  throw bodyFailure(
    areTaken
      ? `Content-Encoding must be one of ${accepted}, and only one`
      : 'Send the body without a Content-Encoding',
    { status: 415, headers: { 'accept-encoding': accepted } },
  );
}

/*
 * The hot path: a body that arrives in one piece is taken as it is; a longer one is copied once into a buffer of the
 * announced size, which the kernel provides page by page as it fills. The parser makes a buffer of up to 64 KiB for each
 * piece, so each is freed as soon as it was copied. It guarantees that an announced length is the received one.
 */
function collect(
  request: Readable,
  declared: number | undefined,
  { bytesMax, pool }: BodyLimits,
  share: RoomShare,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    let whole: Buffer | undefined;
    const chunks: Buffer[] = [];
    let length = 0;
    const arrival = watchArrival(() => finish(() => reject(bodyTooSlow())));

    const keep = (chunk: Buffer) => {
      if (declared === undefined) chunks.push(chunk);
      else if (chunk.length === declared) whole = chunk;
      else {
        whole ??= pool?.take(declared) ?? Buffer.allocUnsafeSlow(declared);
        chunk.copy(whole, length);
        freeMemory(chunk);
      }
    };
    const onData = (chunk: Buffer) => {
      /* Nothing of a piece can be asked for once it was kept. */
      const end = length + chunk.length;
      if (end > bytesMax) return finish(() => reject(bodyTooLarge(bytesMax)));
      keep(chunk);
      length = end;
      arrival.bytes = length;
      const wait = share.cover(length, declared ?? bytesMax);
      if (wait === undefined) return;
      arrival.isHeld = true;
      request.pause();
      wait.then(
        () => {
          arrival.isHeld = false;
          request.resume();
        },
        (error: Error) => finish(() => reject(error)),
      );
    };
    const onEnd = () =>
      finish(() => {
        if (declared === undefined) resolve(joinPieces(chunks, length));
        else if (length === declared) resolve(whole ?? Buffer.alloc(0));
        else reject(bodyInterrupted());
      });
    const onInterrupted = (error?: Error) => finish(() => reject(bodyInterrupted(error)));
    /* Bytes that arrive after a refusal are read and dropped: a stopped stream would block the connection. */
    const finish = (settle: () => void) => {
      leave(arrival);
      request.off('data', onData).off('end', onEnd).off('close', onInterrupted);
      request.resume();
      settle();
    };
    request.on('data', onData).on('end', onEnd).on('error', onInterrupted).on('close', onInterrupted);
  });
}
