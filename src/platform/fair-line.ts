/*
 * Those who wait for one thing, in the order of what they have cost: docs/fair-queue.md.
 */

/** A caller who comes back finds at most so much of what it spent before: one busy hour is no debt for a day. */
const DEBT_MILLISECONDS_MAX = 2_000;
/** Past use counts half after so long, where the cause of an overload is looked for. */
const HALF_LIFE_MILLISECONDS = 3_000;

/** What one caller, or one group of callers, has spent and has under way. */
export class Account {
  readonly parent: Account | null;
  readonly name: string;
  readonly children = new Map<string, Account>();
  weight = 1;
  /** Milliseconds over the weight. */
  spent = 0;
  /** The use of the child that was served last; a child that comes back begins here. */
  clock = 0;
  running = 0;
  waiting = 0;
  /** The latest cost of a turn, in milliseconds: it counts for those under way, until their cost is known. */
  usualCost = 10;
  #recent = 0;
  #recentAt = 0;

  constructor(parent: Account | null, name: string) {
    this.parent = parent;
    this.name = name;
  }

  /** The name of the organization above it, or its own. */
  get organization(): string {
    return this.parent === null || this.parent.parent === null ? this.name : this.parent.organization;
  }

  get priority(): number {
    return this.spent + (this.running * this.usualCost) / this.weight;
  }

  /** Milliseconds of the last seconds. */
  recent(now: number): number {
    return this.#recent * 2 ** ((this.#recentAt - now) / HALF_LIFE_MILLISECONDS);
  }

  charge(milliseconds: number, now: number): void {
    this.spent += milliseconds / this.weight;
    this.#recent = this.recent(now) + milliseconds;
    this.#recentAt = now;
  }

  /**
   * Forgets those below it that have nothing to do and owe nothing: others were served meanwhile, or they spent nothing for
   * half a minute at most. Returns how many are left.
   */
  forgetIdle(now: number): number {
    let left = 0;
    for (const child of this.children.values()) {
      const below = child.forgetIdle(now);
      const owes = child.spent > this.clock && child.recent(now) >= 1;
      if (owes || child.waiting + child.running + below > 0) left += 1 + below;
      else this.children.delete(child.name);
    }
    return left;
  }

  /** To be called before it waits or runs: whoever had nothing to do saves nothing up. */
  wake(): void {
    if (this.parent === null || this.waiting + this.running > 0) return;
    const { clock } = this.parent;
    this.spent = Math.min(Math.max(this.spent, clock), clock + DEBT_MILLISECONDS_MAX / this.weight);
  }
}

/** Those of one account who wait in a line, and those of the accounts below it. */
interface Place<Item> {
  readonly account: Account;
  readonly items: Item[];
  readonly places: Map<Account, Place<Item>>;
  /** How many they are. */
  size: number;
}

/** Whether something of an account may begin now, and, where it is a caller, the first that waits there. */
type MayRun<Item> = (account: Account, first: Item | undefined) => boolean;

/** A leaf and what waits there, with the way to it. */
type Way<Item> = readonly Place<Item>[];

/** Those who wait for one thing. The cost of a step grows with the callers who wait, not with what they have waiting. */
export class Line<Item> {
  readonly #root: Place<Item>;

  constructor(root: Account) {
    this.#root = placeOf(root);
  }

  get size(): number {
    return this.#root.size;
  }

  /** How many of an account and of those below it wait here; its own `waiting` counts all lines together. */
  sizeOf(account: Account): number {
    let place: Place<Item> | undefined = this.#root;
    for (const each of pathTo(account)) place = place?.places.get(each);
    return place?.size ?? 0;
  }

  /** `isBefore`: whether it comes before another one of the same caller, which came earlier. */
  push(account: Account, item: Item, isBefore: (other: Item) => boolean = () => false): void {
    let place = this.#root;
    for (const each of pathTo(account)) {
      each.wake();
      each.waiting += 1;
      let next = place.places.get(each);
      if (next === undefined) {
        next = placeOf(each);
        place.places.set(each, next);
      }
      next.size += 1;
      place = next;
    }
    const index = place.items.findIndex(isBefore);
    place.items.splice(index === -1 ? place.items.length : index, 0, item);
    this.#root.size += 1;
  }

  /** Takes the next item of those accounts that may be served now out of the line. */
  take(mayRun: MayRun<Item> = () => true): { account: Account; item: Item } | undefined {
    const way = this.size === 0 ? undefined : wayToNext(this.#root, mayRun);
    const leaf = way?.at(-1);
    const item = leaf?.items.shift();
    if (way === undefined || leaf === undefined || item === undefined) return undefined;
    for (const { account } of way) if (account.parent !== null) account.parent.clock = account.spent;
    this.#leave(way);
    return { account: leaf.account, item };
  }

  /** What has waited for too long; nothing where it was taken already. */
  remove(account: Account, item: Item): void {
    const way: Place<Item>[] = [];
    let place: Place<Item> | undefined = this.#root;
    for (const each of pathTo(account)) {
      place = place?.places.get(each);
      if (place === undefined) return;
      way.push(place);
    }
    const items = place?.items ?? [];
    const index = items.indexOf(item);
    if (index === -1) return;
    items.splice(index, 1);
    this.#leave(way);
  }

  #leave(way: Way<Item>): void {
    this.#root.size -= 1;
    for (const [depth, place] of way.toReversed().entries()) {
      place.account.waiting -= 1;
      place.size -= 1;
      if (place.size > 0) continue;
      (way[way.length - 2 - depth] ?? this.#root).places.delete(place.account);
    }
  }
}

function placeOf<Item>(account: Account): Place<Item> {
  return { account, items: [], places: new Map(), size: 0 };
}

/** From the organization down; without the root. */
export function pathTo(account: Account): Account[] {
  const path: Account[] = [];
  for (let each = account; each.parent !== null; each = each.parent) path.unshift(each);
  return path;
}

function wayToNext<Item>(place: Place<Item>, mayRun: MayRun<Item>): Place<Item>[] | undefined {
  let [best, least]: [Place<Item>[] | undefined, number] = [undefined, Number.POSITIVE_INFINITY];
  for (const child of place.places.values()) {
    const { priority } = child.account;
    if (priority >= least || !mayRun(child.account, child.items[0])) continue;
    const below = child.items.length > 0 ? [] : wayToNext(child, mayRun);
    if (below === undefined) continue;
    [best, least] = [[child, ...below], priority];
  }
  return best;
}
