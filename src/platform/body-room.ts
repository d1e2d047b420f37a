import { unavailable } from './errors.ts';

const MEBIBYTE = 1024 * 1024;

interface Waiter {
  bytes: number;
  admit(): void;
}

export interface BodyRoomOptions {
  /** How long a body waits unread for room. */
  waitMilliseconds?: number;
  /** What is taken at once while the final size is unknown. */
  stepBytes?: number;
}

/**
 * The memory that bodies of one process may hold together, counted after inflating. In bytes, not in requests, so that
 * many small bodies do not stand in each other's way. Whoever waits too long hears 503.
 */
export class BodyRoom {
  readonly #bytesMax: number;
  readonly #waitMilliseconds: number;
  readonly stepBytes: number;
  readonly #waiters: Waiter[] = [];
  #bytesTaken = 0;

  constructor(bytesMax = 64 * MEBIBYTE, options: BodyRoomOptions = {}) {
    this.#bytesMax = bytesMax;
    this.#waitMilliseconds = options.waitMilliseconds ?? 2_000;
    this.stepBytes = options.stepBytes ?? MEBIBYTE;
  }

  get bytesTaken(): number {
    return this.#bytesTaken;
  }

  /** Waits in line for room; what it gives must be released. */
  async enter(bytes: number): Promise<RoomShare> {
    const share = new RoomShare(this);
    await share.cover(bytes);
    return share;
  }

  /** Undefined when there is room at once, else the wait for it. `first`: ahead of those that hold nothing yet. */
  take(bytes: number, first: boolean): Promise<void> | undefined {
    if ((first || this.#waiters.length === 0) && this.#fits(bytes)) {
      this.#bytesTaken += bytes;
      return undefined;
    }
    return new Promise((resolve, reject) => {
      const waiter: Waiter = {
        bytes,
        admit: () => {
          clearTimeout(timer);
          this.#bytesTaken += bytes;
          resolve();
        },
      };
      const timer = setTimeout(() => {
        this.#waiters.splice(this.#waiters.indexOf(waiter), 1);
        this.#admitWaiters();
        reject(unavailable());
      }, this.#waitMilliseconds);
      if (first) this.#waiters.unshift(waiter);
      else this.#waiters.push(waiter);
    });
  }

  giveBack(bytes: number): void {
    this.#bytesTaken -= bytes;
    this.#admitWaiters();
  }

  /** A body larger than the whole room goes in alone. */
  #fits(bytes: number): boolean {
    return this.#bytesTaken + bytes <= this.#bytesMax || this.#bytesTaken === 0;
  }

  #admitWaiters(): void {
    for (let next = this.#waiters[0]; next !== undefined && this.#fits(next.bytes); next = this.#waiters[0]) {
      this.#waiters.shift();
      next.admit();
    }
  }
}

/** What one body holds of the room. */
export class RoomShare {
  readonly #room: BodyRoom;
  #bytes = 0;
  #isReleased = false;

  constructor(room: BodyRoom) {
    this.#room = room;
  }

  /** Grows in steps until `bytes` are covered; undefined when nothing has to be waited for. */
  cover(bytes: number): Promise<void> | undefined {
    if (bytes <= this.#bytes) return undefined;
    const isFirst = this.#bytes === 0;
    const missing = isFirst
      ? bytes
      : Math.ceil((bytes - this.#bytes) / this.#room.stepBytes) * this.#room.stepBytes;
    const wait = this.#room.take(missing, !isFirst);
    if (wait === undefined) {
      this.#bytes += missing;
      return undefined;
    }
    return wait.then(() => {
      this.#bytes += missing;
      if (this.#isReleased) this.release();
    });
  }

  /** Once the body and what was made of it are no longer needed; also while a wait is under way. */
  release(): void {
    this.#isReleased = true;
    const bytes = this.#bytes;
    this.#bytes = 0;
    if (bytes > 0) this.#room.giveBack(bytes);
  }
}
