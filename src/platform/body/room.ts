import { performance } from 'node:perf_hooks';
import { unavailable } from '../errors.ts';
import { overShare } from '../fair-queue.ts';

const MEBIBYTE = 1024 * 1024;

interface RoomWaiter {
  readonly share: RoomShare;
  readonly bytes: number;
  admit(): void;
  /** 429 where the holder's own quarter is full, else 503. */
  refuse(): void;
}

export interface BodyRoomOptions {
  /** How long a body may wait for room, all its waits together. */
  waitMilliseconds?: number;
  /** What a body takes at a time, after its first piece. */
  stepBytes?: number;
}

/**
 * The memory that bodies of one process may hold together, counted as it is taken: while they arrive, and while they
 * inflate. A promise in `Content-Length` takes nothing. In bytes, not in requests, so that many small bodies do not stand in
 * each other's way. One holder, an organization or all strangers together, gets a quarter at most, so that none can keep the
 * others out. What it has under way beyond another quarter is refused before it is read. A caller that waits too long hears
 * 429 where the own quarter is full, and 503 where the room is.
 */
export class BodyRoom {
  readonly waitMilliseconds: number;
  readonly stepBytes: number;
  readonly #bytesMax: number;
  readonly #bytesOfHolderMax: number;
  readonly #held = new Map<string, number>();
  /** What the bodies of a holder said of their length. */
  readonly #announced = new Map<string, number>();
  /** They hold some room already and wait for more. */
  readonly #growing = new Set<RoomWaiter>();
  readonly #entering = new Set<RoomWaiter>();
  #bytesTaken = 0;

  constructor(bytesMax = 64 * MEBIBYTE, options: BodyRoomOptions = {}) {
    this.#bytesMax = bytesMax;
    this.#bytesOfHolderMax = bytesMax / 4;
    this.waitMilliseconds = options.waitMilliseconds ?? 2_000;
    this.stepBytes = options.stepBytes ?? 64 * 1024;
  }

  get bytesTaken(): number {
    return this.#bytesTaken;
  }

  /** For one body, which holds nothing yet; what it takes must be released. Throws 429 where its holder has too much under way. */
  share(holder: string, announcedBytes = 0): RoomShare {
    const before = this.#announced.get(holder) ?? 0;
    if (before > 0 && before + announcedBytes > 2 * this.#bytesOfHolderMax) throw overShare(1);
    this.#announced.set(holder, before + announcedBytes);
    return new RoomShare(this, holder, announcedBytes);
  }

  /** One that is over, whole or not. */
  leave(holder: string, announcedBytes: number): void {
    const left = (this.#announced.get(holder) ?? 0) - announcedBytes;
    if (left > 0) this.#announced.set(holder, left);
    else this.#announced.delete(holder);
  }

  /** Undefined when there is room at once, else the wait for it. */
  take(share: RoomShare, bytes: number, waitMilliseconds: number): Promise<void> | undefined {
    const isInside = share.bytes > 0;
    /* A caller inside grows before a new one comes in: it gives back its bytes only when its body is complete. */
    const mayPass = isInside || this.#growing.size + this.#entering.size === 0;
    if (mayPass && this.#fits(share, bytes) && this.#isBelowQuarter(share, bytes)) {
      this.#give(share, bytes);
      return undefined;
    }
    return new Promise((resolve, reject) => {
      const queue = isInside ? this.#growing : this.#entering;
      const leave = () => {
        clearTimeout(timer);
        queue.delete(waiter);
      };
      const waiter: RoomWaiter = {
        share,
        bytes,
        admit: () => {
          leave();
          this.#give(share, bytes);
          resolve();
        },
        refuse: () => {
          leave();
          reject(this.#isBelowQuarter(share, bytes) ? unavailable() : overShare(1));
        },
      };
      const timer = setTimeout(() => {
        waiter.refuse();
        this.#admitWaiters();
      }, waitMilliseconds);
      queue.add(waiter);
      this.#admitWaiters();
      this.#refuseOneOfStuck(waiter);
    });
  }

  giveBack(holder: string, bytes: number): void {
    this.#bytesTaken -= bytes;
    const left = (this.#held.get(holder) ?? 0) - bytes;
    if (left > 0) this.#held.set(holder, left);
    else this.#held.delete(holder);
    if (this.#growing.size + this.#entering.size > 0) this.#admitWaiters();
  }

  #give(share: RoomShare, bytes: number): void {
    this.#bytesTaken += bytes;
    this.#held.set(share.holder, (this.#held.get(share.holder) ?? 0) + bytes);
    share.grow(bytes);
  }

  /** A body larger than the whole room goes in alone. */
  #fits(share: RoomShare, bytes: number): boolean {
    return this.#bytesTaken + bytes <= this.#bytesMax || this.#bytesTaken === share.bytes;
  }

  /** A body larger than a quarter goes in as the only one of its holder. */
  #isBelowQuarter(share: RoomShare, bytes: number): boolean {
    const held = this.#held.get(share.holder) ?? 0;
    return held + bytes <= this.#bytesOfHolderMax || held === share.bytes;
  }

  /** In their order; those whose holder has its quarter already let others pass. */
  #admitWaiters(): void {
    for (const queue of [this.#growing, this.#entering]) {
      for (const waiter of queue) {
        if (!this.#fits(waiter.share, waiter.bytes)) return;
        if (this.#isBelowQuarter(waiter.share, waiter.bytes)) waiter.admit();
      }
    }
  }

  /**
   * When every body that holds some of the quarter (or of the room) waits for more, none would ever be complete: the one
   * that has least gives up, for the others.
   */
  #refuseOneOfStuck({ share, bytes }: RoomWaiter): void {
    const { holder } = share;
    const all = [...this.#growing];
    const ofHolder = all.filter((waiter) => waiter.share.holder === holder);
    const isStuck = (waiters: readonly RoomWaiter[], held: number) =>
      waiters.reduce((sum, waiter) => sum + waiter.share.bytes, 0) === held;
    let stuck: readonly RoomWaiter[] = [];
    if (!this.#isBelowQuarter(share, bytes) && isStuck(ofHolder, this.#held.get(holder) ?? 0))
      stuck = ofHolder;
    else if (isStuck(all, this.#bytesTaken)) stuck = all;
    const [least] = stuck.toSorted((a, b) => a.share.bytes - b.share.bytes);
    least?.refuse();
  }
}

/** What one body holds of the room. */
export class RoomShare {
  readonly holder: string;
  readonly #room: BodyRoom;
  readonly #announcedBytes: number;
  #bytes = 0;
  #waitedMilliseconds = 0;
  #isReleased = false;

  constructor(room: BodyRoom, holder: string, announcedBytes: number) {
    this.#room = room;
    this.holder = holder;
    this.#announcedBytes = announcedBytes;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Grows until `bytes` are covered, never past `bytesMax`; undefined when nothing has to be waited for. */
  cover(bytes: number, bytesMax: number): Promise<void> | undefined {
    if (bytes <= this.#bytes) return undefined;
    const { stepBytes, waitMilliseconds } = this.#room;
    const steps = Math.ceil((bytes - this.#bytes) / stepBytes) * stepBytes;
    const missing =
      this.#bytes === 0 ? bytes : Math.max(bytes, Math.min(this.#bytes + steps, bytesMax)) - this.#bytes;
    const wait = this.#room.take(this, missing, Math.max(0, waitMilliseconds - this.#waitedMilliseconds));
    if (wait === undefined) return undefined;
    const since = performance.now();
    return wait.then(() => {
      this.#waitedMilliseconds += performance.now() - since;
    });
  }

  /** Called by the room, which has counted them. */
  grow(bytes: number): void {
    this.#bytes += bytes;
    if (this.#isReleased) this.release();
  }

  /** Once the body and what was made of it are no longer needed; also while a wait is under way. */
  release(): void {
    if (!this.#isReleased) this.#room.leave(this.holder, this.#announcedBytes);
    this.#isReleased = true;
    const bytes = this.#bytes;
    this.#bytes = 0;
    if (bytes > 0) this.#room.giveBack(this.holder, bytes);
  }
}
