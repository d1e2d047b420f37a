import { performance } from 'node:perf_hooks';
import { setImmediate as nextTurnOfLoop } from 'node:timers/promises';
import { unavailable } from '../errors.ts';

/** What the costly requests of one organization may take of the time of a process. */
const SHARE = 0.25;
/** What it may take at once, after a while without any. */
const BURST_MILLISECONDS = 1_000;
/** So many wait for those before them; the next one is turned away. */
const WAITING_MAX = 64;
/** Who has waited for so long hears it: the caller gives up soon after. */
const WAIT_MILLISECONDS_MAX = 10_000;
/** More organizations than this are looked through for those that owe nothing any more. */
const ACCOUNTS_MAX = 1_000;

const TURNED_AWAY =
  'Too many costly requests of your organization wait already; send large bodies and ask for long periods one after the other';

/** The time of a process that each organization may take with its costly requests. */
export interface TimeBudgets {
  /** Does the work of a costly request when the turn of its organization has come. */
  inTurn<Result>(organization: string, work: () => Promise<Result>): Promise<Result>;
}

interface Account {
  waiting: number;
  /** Ends when the work before has ended. */
  last: Promise<unknown>;
  /** When the time that was taken is paid back, in milliseconds of the clock. */
  paidAt: number;
}

interface BudgetTiming {
  nowMilliseconds(): number;
  sleep(milliseconds: number): Promise<void>;
}

const realTime: BudgetTiming = {
  nowMilliseconds: () => performance.now(),
  sleep: (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds)),
};

/**
 * One organization may ask for years of usage and prices and send bodies of 1 MiB, 50 times a second, and still leaves the
 * process to the others: such requests of it are worked on one after the other, and the time that they take is paid back,
 * at four times of it, before the next one begins. Time is counted from begin to end, with waiting for the database, so
 * that it is paid on a busy machine, too. Who asks now and then never waits.
 */
export function createTimeBudgets({ nowMilliseconds, sleep }: BudgetTiming = realTime): TimeBudgets {
  const accounts = new Map<string, Account>();

  function accountOf(organization: string): Account {
    const known = accounts.get(organization);
    if (known !== undefined) return known;
    if (accounts.size >= ACCOUNTS_MAX) removePaid();
    const account = { waiting: 0, last: Promise.resolve(), paidAt: Number.NEGATIVE_INFINITY };
    accounts.set(organization, account);
    return account;
  }

  function removePaid(): void {
    for (const [organization, { waiting, paidAt }] of accounts) {
      if (waiting === 0 && paidAt <= nowMilliseconds()) accounts.delete(organization);
    }
  }

  async function whenPaid<Result>(
    account: Account,
    askedAt: number,
    work: () => Promise<Result>,
  ): Promise<Result> {
    if (nowMilliseconds() - askedAt > WAIT_MILLISECONDS_MAX) throw unavailable(TURNED_AWAY);
    const owed = account.paidAt - nowMilliseconds() - BURST_MILLISECONDS / SHARE;
    if (owed > 0) await sleep(owed);
    /* Work that waits for nothing would follow on work of its kind, without a look at what others have sent meanwhile. */
    await nextTurnOfLoop();
    const begunAt = nowMilliseconds();
    try {
      return await work();
    } finally {
      const now = nowMilliseconds();
      account.paidAt = Math.max(account.paidAt, begunAt) + (now - begunAt) / SHARE;
    }
  }

  return {
    async inTurn(organization, work) {
      const account = accountOf(organization);
      if (account.waiting >= WAITING_MAX) throw unavailable(TURNED_AWAY);
      const askedAt = nowMilliseconds();
      account.waiting += 1;
      const turn = account.last.then(() => whenPaid(account, askedAt, work));
      account.last = turn.catch(() => {});
      try {
        return await turn;
      } finally {
        account.waiting -= 1;
      }
    },
  };
}
