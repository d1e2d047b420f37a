import { AsyncLocalStorage } from 'node:async_hooks';
import { availableParallelism } from 'node:os';
import { performance } from 'node:perf_hooks';
import { Failure, unavailable } from './errors.ts';
import { Account, Line, pathTo } from './fair-line.ts';
import type { Metrics } from './metrics.ts';
import type { Principal } from './principal.ts';

/*
 * Decides whose costly work is next: parsing a large body, a refused batch, a group of rows, a long answer.
 * docs/fair-queue.md tells it from the beginning.
 *
 *   caller     organization → client → (of customers' tokens) customer
 *   account    what each of them has spent, in milliseconds of processor time over its weight
 *   line       those who wait; the account that spent least is next, on each level of the tree
 *   turn       one piece of costly work; two to four are under way at a time
 *   piece      what a turn does without giving the event loop to others
 */

/** For whom a piece of work is done. */
export interface Caller {
  /** From the widest to the narrowest: an organization, a client of it or `consumers`, a customer. */
  readonly path: readonly [string, ...string[]];
  /** If two callers both want all, one with twice the weight gets twice as much. The rate of a client is its weight. */
  readonly weight: number;
}

/** The client of a token, or the customer that it acts for: what customers ask for together weighs as much as one client. */
export function callerOf(
  { organization, client, customer }: Pick<Principal, 'organization' | 'client' | 'customer'>,
  requestsPerSecond: number,
): Caller {
  const within = customer === undefined ? [client] : ['consumers', customer];
  return { path: [organization, ...within], weight: requestsPerSecond };
}

/** What a turn will probably take: some ten milliseconds, or more. */
export type TurnLength = 'short' | 'long';

/** Does costly work when the turn of one caller has come. */
export type InTurn = <Result>(work: () => Promise<Result>) => Promise<Result>;

/** All who have not shown yet who they are. */
export const STRANGERS: Caller = { path: ['strangers'], weight: 1 };

/** The longest piece of a turn before others get the event loop. */
const PIECE_MILLISECONDS = 8;
/** After a piece that took longer others get as much time before the next one; less where the process itself stood still. */
const HEAVY_PIECE_MILLISECONDS = 2 * PIECE_MILLISECONDS;
const REST_MILLISECONDS_MAX = 200;
/** How much of bodies is parsed in one turn of the event loop; one body in any case. */
const BYTES_PER_LOOP = 64 * 1024;
/** So many turns of one caller wait; of one organization; of all. */
const WAITING_OF_CALLER_MAX = 32;
const WAITING_OF_ORGANIZATION_MAX = 128;
const WAITING_MAX = 1_024;
/** Who has waited for so long hears it: the caller gives up soon after. */
const WAIT_MILLISECONDS_MAX = 10_000;
/** More accounts than this are looked through for those that nobody uses. */
const ACCOUNTS_MAX = 2_000;

/** A piece of costly work that is under way. */
interface Turn {
  readonly queue: FairQueue;
  readonly account: Account;
  readonly beganAt: number;
  /** Of the time since it began, what it stood still in. */
  waitedMilliseconds: number;
  chargedMilliseconds: number;
  pieceBeganAt: number;
  /** The work may go on behind the end of its turn: a stream, a connection of a pool. */
  isOver: boolean;
}

interface WaitingTurn {
  readonly isShort: boolean;
  begin(): void;
}

interface WaitingPiece {
  readonly bytes: number;
  /** Of a turn; otherwise a small body that is looked at. */
  readonly isOfTurn: boolean;
  begin(): void;
}

const turns = new AsyncLocalStorage<Turn>();

function turnUnderWay(): Turn | undefined {
  const turn = turns.getStore();
  return turn?.isOver === false ? turn : undefined;
}

/** Tells the turn under way, if there is one, that it waited for what others hold: a connection, room. */
export function countAsWaiting(milliseconds: number): void {
  const turn = turnUnderWay();
  if (turn !== undefined) turn.waitedMilliseconds += milliseconds;
}

/** To be awaited now and then in long synchronous work: gives the event loop to others, where it has had it for a while. */
export function breathe(): Promise<void> | undefined {
  const turn = turnUnderWay();
  if (turn === undefined || turn.queue.nowMilliseconds() - turn.pieceBeganAt < PIECE_MILLISECONDS)
    return undefined;
  return turn.queue.nextPiece(turn);
}

/**
 * To be awaited before synchronous work that nothing can interrupt, JSON.parse of a large body: one such piece in a turn of the
 * event loop. Three bodies that were complete at once were parsed in a row, and everybody else waited for all three.
 */
export function ownPiece(): Promise<void> | undefined {
  const turn = turnUnderWay();
  return turn?.queue.nextPiece(turn);
}

/** Does work that says itself where it may be interrupted. */
export async function inPieces<Result>(pieces: Generator<void, Result>): Promise<Result> {
  for (;;) {
    const step = pieces.next();
    if (step.done === true) return step.value;
    await breathe();
  }
}

export interface FairQueueOptions {
  /** How many turns are under way at a time. */
  turnsMax?: number;
  /** How long one waits, and how many of one caller; without a bound where null, for work that nobody waits for. */
  bounds?: { waitMilliseconds: number; waitingOfCaller: number } | null;
  metrics?: Metrics;
  nowMilliseconds?: () => number;
}

const BOUNDS = { waitMilliseconds: WAIT_MILLISECONDS_MAX, waitingOfCaller: WAITING_OF_CALLER_MAX };

/** Two cores: four turns, because a turn waits for the database for half of its time. */
const TURNS_MAX = Math.min(4, Math.max(2, 2 * availableParallelism()));

/** The queue of one process. */
export class FairQueue {
  readonly nowMilliseconds: () => number;
  readonly #root = new Account(null, '');
  readonly #turns = new Line<WaitingTurn>(this.#root);
  readonly #pieces = new Line<WaitingPiece>(this.#root);
  readonly #turnsMax: number;
  readonly #bounds: NonNullable<FairQueueOptions['bounds']> | null;
  readonly #onRefusal: () => void;
  #accounts = 0;
  /** Twice those that were left the last time: a look at all of them is paid for by as many new ones. */
  #accountsMax = ACCOUNTS_MAX;
  #isLoopPlanned = false;
  #bytesOfLoop = 0;
  /** When a piece of a turn began that may be under way; the next one begins when the rest after it is over. */
  #pieceBeganAt: number | null = null;
  #restsUntil = 0;

  constructor({ turnsMax = TURNS_MAX, bounds = BOUNDS, metrics, nowMilliseconds }: FairQueueOptions = {}) {
    this.nowMilliseconds = nowMilliseconds ?? (() => performance.now());
    this.#turnsMax = turnsMax;
    this.#bounds = bounds;
    metrics?.measured('fair_queue_waiting', 'Costly work that waits for its turn', () => this.#turns.size);
    const refusals = metrics?.counter(
      'fair_queue_refusals_total',
      'Costly requests over the share of their caller',
    );
    this.#onRefusal = () => refusals?.inc();
  }

  /** A line of its own for another thing that callers wait for; the accounts are the same. */
  line<Item>(): Line<Item> {
    return new Line(this.#root);
  }

  account({ path, weight }: Caller): Account {
    let account = this.#root;
    if (this.#accounts >= this.#accountsMax) {
      this.#accounts = account.forgetIdle(this.nowMilliseconds());
      this.#accountsMax = Math.max(ACCOUNTS_MAX, 2 * this.#accounts);
    }
    for (const name of path) {
      let next = account.children.get(name);
      if (next === undefined) {
        this.#accounts += 1;
        next = new Account(account, name);
        next.spent = account.clock;
        account.children.set(name, next);
      }
      account = next;
    }
    const [organization, client] = pathTo(account);
    if (organization !== undefined && client !== undefined && client.weight !== weight) {
      client.weight = weight;
      /* As much as the heaviest of its clients, however many it has. */
      organization.weight = Math.max(...Array.from(organization.children.values(), (each) => each.weight));
    }
    return account;
  }

  /** Adds what was spent outside of turns: on a small batch, or on a group of rows. */
  charge(account: Account, milliseconds: number): void {
    const now = this.nowMilliseconds();
    for (let each = account; each.parent !== null; each = each.parent) each.charge(milliseconds, now);
  }

  /** Throws 429 where so many turns of the caller wait already that more would only be told to come back later. */
  admit(caller: Caller): void {
    if (this.#bounds === null) return;
    const account = this.account(caller);
    const organization = pathTo(account)[0] ?? account;
    const isFull =
      this.#turns.sizeOf(account) >= this.#bounds.waitingOfCaller ||
      this.#turns.sizeOf(organization) >= WAITING_OF_ORGANIZATION_MAX;
    if (isFull) throw this.#overShare(account);
    if (this.#turns.size >= WAITING_MAX) throw unavailable();
  }

  #overShare(account: Account): Failure {
    this.#onRefusal();
    return overShare((this.#turns.sizeOf(account) * account.usualCost) / 1_000);
  }

  /** Does costly work when the turn of its caller has come; at once inside a turn. Nobody works for who is gone. */
  async inTurn<Result>(
    caller: Caller,
    work: () => Promise<Result>,
    { length = 'long', isGone }: { length?: TurnLength; isGone?: () => boolean } = {},
  ): Promise<Result> {
    if (turnUnderWay() !== undefined) return await work();
    const account = this.account(caller);
    const path = pathTo(account);
    /* Nobody who waits could be served now: the end of the last turn would have begun their turn. */
    if (this.#root.running < this.#turnsMax && this.#mayBegin(path, length)) begin(path);
    else {
      this.admit(caller);
      await this.#whenNext(account, path, length);
    }
    const beganAt = this.nowMilliseconds();
    const turn: Turn = {
      ...{ queue: this, account, beganAt, pieceBeganAt: beganAt },
      ...{ waitedMilliseconds: 0, chargedMilliseconds: 0, isOver: false },
    };
    try {
      if (isGone?.() === true) throw unavailable();
      return await turns.run(turn, work);
    } finally {
      turn.isOver = true;
      this.#chargeTurn(turn);
      for (const each of path) {
        each.running -= 1;
        each.usualCost += (turn.chargedMilliseconds - each.usualCost) / 4;
      }
      this.#root.running -= 1;
      this.#beginTurns();
    }
  }

  /** Its time up to now, without what it waited: the processor time of this process and of the database. */
  #chargeTurn(turn: Turn): void {
    const spent = this.nowMilliseconds() - turn.beganAt - turn.waitedMilliseconds;
    this.charge(turn.account, Math.max(0, spent - turn.chargedMilliseconds));
    turn.chargedMilliseconds = Math.max(spent, turn.chargedMilliseconds);
  }

  /** Each level leaves one turn to its neighbours: an organization never has all, nor one client of it all of its. */
  #mayBegin(path: readonly Account[], length: TurnLength): boolean {
    const last = path.length - 1;
    return path.every((account, index) =>
      this.#mayRun(account, index + 1, index === last && length === 'short'),
    );
  }

  /** A caller whose long turns are all under way has one more for something short. */
  #mayRun(account: Account, depth: number, isShort: boolean): boolean {
    return account.running < Math.max(1, this.#turnsMax - depth) + (isShort ? 1 : 0);
  }

  #whenNext(account: Account, path: readonly Account[], length: TurnLength): Promise<void> {
    const servedBefore = path[0]?.spent ?? 0;
    return new Promise((resolve, reject) => {
      const waiting: WaitingTurn = {
        isShort: length === 'short',
        begin: () => {
          clearTimeout(timer);
          resolve();
        },
      };
      const giveUp = () => {
        this.#turns.remove(account, waiting);
        /* Whose own work was done meanwhile has his share; for the others the service was too busy. */
        const wasServed = path.some(({ running }) => running > 0) || (path[0]?.spent ?? 0) > servedBefore;
        reject(wasServed ? this.#overShare(account) : unavailable());
      };
      const timer = this.#bounds === null ? undefined : setTimeout(giveUp, this.#bounds.waitMilliseconds);
      this.#turns.push(account, waiting, ({ isShort }) => waiting.isShort && !isShort);
    });
  }

  #beginTurns(): void {
    while (this.#root.running < this.#turnsMax) {
      const next = this.#turns.take((account, first) =>
        this.#mayRun(account, pathTo(account).length, first?.isShort === true),
      );
      if (next === undefined) return;
      begin(pathTo(next.account));
      next.item.begin();
    }
  }

  /**
   * Spreads bodies that arrive together over turns of the event loop. Sixteen small batches in one turn kept the answer of
   * the database waiting for 2 ms, and the database idle as long. Undefined: look at it now.
   */
  whenLooked(caller: Caller, bytes: number): Promise<void> | undefined {
    this.#planLoop();
    if (this.#pieces.size === 0 && this.#bytesOfLoop < BYTES_PER_LOOP) {
      this.#bytesOfLoop += bytes;
      return undefined;
    }
    return new Promise((resolve) => {
      this.#pieces.push(this.account(caller), { bytes, isOfTurn: false, begin: resolve });
    });
  }

  /** The next piece of a turn: one in a turn of the event loop, so that small requests wait for one at most. */
  async nextPiece(turn: Turn): Promise<void> {
    this.#chargeTurn(turn);
    const since = this.nowMilliseconds();
    this.#planLoop();
    await new Promise<void>((resolve) => {
      this.#pieces.push(turn.account, { bytes: BYTES_PER_LOOP, isOfTurn: true, begin: resolve });
    });
    turn.pieceBeganAt = this.nowMilliseconds();
    this.#pieceBeganAt = turn.pieceBeganAt;
    turn.waitedMilliseconds += turn.pieceBeganAt - since;
  }

  #planLoop(): void {
    if (this.#isLoopPlanned) return;
    this.#isLoopPlanned = true;
    setImmediate(() => {
      this.#isLoopPlanned = false;
      this.#bytesOfLoop = 0;
      const restMilliseconds = this.#restMilliseconds();
      while (this.#bytesOfLoop < BYTES_PER_LOOP) {
        const next = this.#pieces.take((_, first) => restMilliseconds <= 0 || first?.isOfTurn !== true);
        if (next === undefined) break;
        this.#bytesOfLoop += next.item.bytes;
        next.item.begin();
      }
      if (this.#bytesOfLoop > 0) this.#planLoop();
      else if (this.#pieces.size > 0) setTimeout(() => this.#planLoop(), restMilliseconds);
    });
  }

  /** How long no piece may begin. A small batch needs several turns of the loop: with 40 ms of JSON.parse in each it took 330. */
  #restMilliseconds(): number {
    const now = this.nowMilliseconds();
    const took = this.#pieceBeganAt === null ? 0 : now - this.#pieceBeganAt;
    this.#pieceBeganAt = null;
    if (took > HEAVY_PIECE_MILLISECONDS) this.#restsUntil = now + Math.min(took, REST_MILLISECONDS_MAX);
    return this.#restsUntil - now;
  }

  /** Whether the caller's organization is among those that an overload comes from: it spent half as much as the first. */
  causesOverload({ path }: Caller): boolean {
    const now = this.nowMilliseconds();
    const own = this.#root.children.get(path[0])?.recent(now) ?? 0;
    let most = 0;
    for (const organization of this.#root.children.values()) most = Math.max(most, organization.recent(now));
    return own >= most / 2;
  }
}

/** 429 for what is over the share of its caller, with the seconds after which what waits is over. */
export function overShare(seconds: number): Failure {
  const rounded = Math.min(30, Math.max(1, Math.ceil(seconds)));
  return new Failure('TOO_MANY_REQUESTS', {
    message: `Too much of your work waits already: send large bodies and ask for long answers one after the other. Retry after ${rounded} seconds`,
    headers: { 'retry-after': String(rounded) },
  });
}

function begin(path: readonly Account[]): void {
  const [organization] = path;
  for (const account of path) {
    account.wake();
    account.running += 1;
  }
  if (organization?.parent != null) organization.parent.running += 1;
}
