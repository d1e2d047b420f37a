import { randomInt } from 'node:crypto';
import { dirname } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { renderInvoices } from '../../src/billing/invoices/files/render.ts';
import { renderInvoicesJob } from '../../src/billing/invoices/jobs.ts';
import { advanceSubscriptions } from '../../src/contracts/subscriptions/advance.ts';
import { deliverWebhooksJob, retryWebhooksJob } from '../../src/events/jobs.ts';
import { worker } from '../../src/platform/jobs/jobs.ts';
import { createLogger } from '../../src/platform/log/logger.ts';
import { addDays, addMonths, firstOfMonth } from '../../src/platform/time/berlin-calendar.ts';
import { jobWorkers } from '../../workers/index.ts';
import { type Billed, startBilled } from '../billing/invoices/billing.ts';
import { tokenFor } from '../setup/factories.ts';
import { storedRows } from '../setup/stored-rows.ts';
import { isLongTier } from '../setup/tier.ts';
import { LivesBank } from './bank.ts';
import { priceAt } from './counted.ts';
import { Devices } from './devices.ts';
import { BackOffice, Receiver } from './doors.ts';
import { Erasures } from './erasure.ts';
import { allOf, type Happened, happensOften, whatHappened } from './happened.ts';
import {
  type Act,
  anyLife,
  anyTimes,
  FIRST,
  type Life,
  MONTHS,
  MONTHS_BEHIND,
  MONTHS_OF_YEARS,
  SIGNED_UP,
  storyOf,
  type Times,
} from './life.ts';
import { Living } from './living.ts';
import { Looks } from './looks.ts';
import { Person } from './person.ts';

/*
 * Whole lives of contracts, month by month, with everything that comes late. At the end the documents of each come to what
 * one bill over all of its days comes to, by what is known then; after each month every door shows the same.
 */

/** So many live side by side in one organization, with a service and a database to themselves. */
const BATCH = 30;
/** So many batches at once. */
const LANES = 2;
/** No line of the log may be one. */
const FAULT = /"level":"(error|fatal)"|"status":5\d\d/;
/**
 * On a busy machine a run of a job may take too long, or a connection to the database. It is done again, and what it is for is
 * looked at.
 */
const OUT_OF_TIME = /"code":"(25P04|55P03|57014)".*"msg":"job run failed"|"status":503,.*at checkOut/;
/** `LIVES=10000 LIVES_SEED=7` draws others. */
const LIVES = Number(process.env.LIVES ?? (isLongTier ? 1_000 : BATCH));
/** The short tier has always the same lives: a new mistake of the product must not fail a change that has nothing to do with it. */
const SAME_SEED = 6863;
/** Each tenth batch has lives of up to three years. `LIVES_MONTHS=33` makes all of them so. */
const YEARS_EVERY = 10;
const monthsOf = (batch: number) =>
  Number(process.env.LIVES_MONTHS ?? (batch % YEARS_EVERY === YEARS_EVERY - 1 ? MONTHS_OF_YEARS : MONTHS));
const SEED = Number(process.env.LIVES_SEED ?? (isLongTier ? randomInt(2 ** 31) : SAME_SEED));

const OTHERWISE = new Set([renderInvoicesJob, deliverWebhooksJob, retryWebhooksJob].map(({ name }) => name));

/** Of the worker process. Of ten documents one gets its file: to draw all would take as long as everything else. */
const WORKERS = [
  ...jobWorkers.filter(({ definition }) => !OTHERWISE.has(definition.name)),
  worker(renderInvoicesJob, (deps: Parameters<typeof renderInvoices>[0], { payload, ...run }) => {
    const invoices = payload.invoices.filter((id) => /[0-3]$/.test(id));
    return renderInvoices(deps, { ...run, payload: { invoices } });
  }),
];

async function live(lives: readonly Life[], times: Times): Promise<Happened> {
  const lines: string[] = [];
  const log = createLogger({
    level: 'debug',
    name: 'lives',
    destination: { write: (line) => lines.push(line) },
  });
  await using receiver = await Receiver.start();
  const workers = [...WORKERS, ...receiver.workers];
  const billed = keepingToken(await startBilled(`${SIGNED_UP}T05:30:00.000Z`, workers, { log }));
  await using office = await BackOffice.open(billed);
  const bank = new LivesBank(billed, office);
  const erasures = new Erasures(billed, office, bank, lines);
  const all = lives.map((life, number) => new Living(billed, office, life, new Person(number)));
  const devices = new Devices(billed);
  try {
    const months = times.months + MONTHS_BEHIND;
    await prepare(billed, months);
    const looks = new Looks(billed, bank, receiver);
    await receiver.register(billed);
    for (const living of [...all]) {
      await living.signUp();
      await devices.add(living);
      const feedIn = await living.signUpFeedIn();
      if (feedIn !== null) all.push(feedIn);
    }
    for (const living of all) await living.pass(SIGNED_UP);
    for (let month = 1; month <= months; month += 1) {
      /* Before the values of the month before are final. */
      billed.clock.set(`${addDays(addMonths(FIRST, month), 2)}T05:30:00.000Z`);
      await devices.households();
      const today = addDays(addMonths(FIRST, month), 19);
      billed.clock.set(`${today}T05:30:00.000Z`);
      if (month === times.vat.month)
        await enterVat(office, addDays(today, -times.vat.daysBefore), times.vat.rate);
      if (month === times.solar.month) await enterSolarValue(office, today, times.solar.cents);
      await enterNewYear(office, today);
      const living = all.filter(({ person }) => !person.isErased);
      for (const contract of living) {
        const next = await contract.pass(today);
        if (next === null) continue;
        all.push(next);
        await devices.add(next);
      }
      await advanceSubscriptions(billed.api.deps, { signal: new AbortController().signal, log });
      const due = ({ life }: Living) => life.acts.filter((act) => act.month === month);
      for (const contract of living) for (const act of due(contract)) await contract.act(act, today);
      await billed.bill();
      const meeting = (kind: Act['what']) =>
        living.filter((contract) => due(contract).some(({ what }) => what === kind));
      for (const { person } of meeting('consents')) await looks.customers.consent(person);
      await devices.month(new Set(meeting('silent')), new Set(meeting('dies')));
      const paying = living.flatMap((contract) =>
        due(contract).flatMap(({ what, amount }): [Living, number[]][] => {
          if (what === 'pays') return [[contract, [amount / 20]]];
          return what === 'pays_twice' ? [[contract, [1, 1]]] : [];
        }),
      );
      const ids = (kind: Act['what']) => new Set(meeting(kind).map(({ contract }) => contract.id));
      await bank.month(
        { bouncing: ids('bounces'), disputing: ids('disputes'), misleading: ids('misleads') },
        paying,
      );
      await erasures.month(today, all);
      /* What is told of a second change at one moment is due a microsecond later. */
      billed.clock.advance(1);
      await billed.work();
      await looks.look(all);
      await devices.look();
    }
    for (const living of all) if (!living.person.isErased) await living.isBilledRight();
    await looks.lookAtTheEnd(office);
    await devices.lookAtTheEnd(office);
    await erasures.look();
    expect(lines.filter((line) => FAULT.test(line) && !OUT_OF_TIME.test(line))).toEqual([]);
    const requests = lines.filter((line) => line.includes('"msg":"answered"')).length;
    return new Map([
      ...(await whatHappened(billed)),
      ...([
        ['requests', requests],
        ['commands', office.commandsRun],
      ] as const),
    ]);
  } catch (error) {
    throw new Error(await accountsOf(all, bank).catch(() => 'No account can be read'), { cause: error });
  } finally {
    await billed.close();
  }
}

/** How the money of each contract stood: the sum that a person adds up first. */
async function accountsOf(all: readonly Living[], bank: LivesBank): Promise<string> {
  const accounts = new Map((await bank.accounts()).map((account) => [account.contract, account]));
  const euros = (cents: number) => (cents / 100).toFixed(2);
  const lines = all.map((living) => {
    const {
      documents = 0,
      booked = 0,
      open = 0,
      written_off: off = 0,
      overpaid = 0,
      with_staff: staff = 0,
      received = 0,
    } = accounts.get(living.id) ?? {};
    const sum = `${euros(booked)} booked + ${euros(open)} open + ${euros(off)} written off or taken over - ${euros(overpaid)} paid too much`;
    return `  ${living.id}, ${living.first} to ${living.end}: documents ${euros(documents)} = ${sum}; the bank had ${euros(received)}, of that ${euros(staff)} with staff`;
  });
  return lines.join('\n');
}

/** One token for each day and all versions: to make one takes as long as the request. */
function keepingToken(billed: Billed): Billed {
  const { api, clock, credentials } = billed;
  let [day, token] = ['', Promise.resolve('')];
  const client = async (version?: string) => {
    const today = clock.now().toISOString().slice(0, 10);
    if (day !== today) [day, token] = [today, tokenFor(api, credentials)];
    return api.client(await token, version === undefined ? {} : { version });
  };
  return { ...billed, client };
}

async function prepare(billed: Billed, months: number): Promise<void> {
  await billed.price(FIRST, addMonths(FIRST, months), priceAt);
  await billed.issuer();
  /* The grid of these tests has no prices by the clock, and nobody was asked for the year before. */
  await storedRows(
    billed.api,
    `INSERT INTO grid_fee_schedules (operator, low_ct_net, standard_ct_net, high_ct_net, quarters, low_windows, high_windows,
       weight_low, weight_standard, weight_high, share_of_year, valid_from, valid_to, source)
     VALUES ('netz-leipzig', 1.5, 5.65, 9.1, '1;4', '02:00-04:00', '17:30-19:30', 0.05, 0.82, 0.13, 0.5, '2025-01-01', '2026-01-01', 'tests'),
            ('netz-leipzig', 1.1, 4.29, 8.2, '1;2;4', '23:00-05:00', '16:30-21:00', 0.16, 0.57, 0.27, 0.75, '2026-01-01', NULL, 'tests')`,
  );
  await storedRows(
    billed.api,
    `INSERT INTO zip_areas (zip, operator, concession_class, share, valid_from, valid_to, source)
     VALUES ('20354', 'netz-leipzig', 'T4', 1, '2025-01-01', '2026-01-01', 'tests')`,
  );
}

async function enterVat(office: BackOffice, from: string, rate: string): Promise<void> {
  const rows = [`0.19,2021-01-01,${from},law,2025-09-01`, `${rate},${from},,another law,2025-09-01`];
  await enterTable(office, 'vat_rates', ['rate,valid_from,valid_to,source,checked_on', ...rows]);
}

async function enterSolarValue(office: BackOffice, today: string, cents: number): Promise<void> {
  const until = firstOfMonth(today);
  const from = addMonths(until, -1);
  const row = (days: string, ct: number) => `solar_market_value,${ct},${days},grid operators,2025-09-01`;
  await enterTable(office, 'market_values', [
    'code,ct_net,valid_from,valid_to,source,checked_on',
    'day_ahead_mean,8.932,2026-01-01,2027-01-01,mean,2025-09-01',
    ...[row(`2024-02-01,${from}`, 5.875), row(`${from},${until}`, cents), row(`${until},`, 5.875)],
  ]);
}

/** The last of which the project's own tables say what levies and grids cost. */
const LAST_YEAR = 2026;

/** What the year behind a December costs, as it is published before it begins: each year some more. */
async function enterNewYear(office: BackOffice, today: string): Promise<void> {
  const year = Number(today.slice(0, 4)) + 1;
  if (today.slice(5, 7) !== '12' || year <= LAST_YEAR) return;
  const days = `${year}-01-01,${year + 1}-01-01,published before,2026-11-20`;
  const dearer = (amount: number) => (amount * 1.05 ** (year - LAST_YEAR)).toFixed(3);
  await enterTable(office, 'levies', [
    'code,ct_net,valid_from,valid_to,source,checked_on',
    ...LEVIES.map(([code, ct]) => `${code},${dearer(ct)},${days}`),
  ]);
  await enterTable(office, 'grid_fees', [
    'operator,base_eur_year_net,working_ct_net,module_1_eur_year_net,module_2_ct_net,provisional,valid_from,valid_to,source,checked_on',
    `netz-leipzig,${dearer(75)},4.29,,,no,${days}`,
  ]);
}

const LEVIES = [
  ['besondere_netznutzung', 1.559],
  ['kwkg', 0.446],
  ['offshore', 0.941],
] as const;

async function enterTable(office: BackOffice, table: string, lines: readonly string[]): Promise<void> {
  const file = await office.file(`${table}.csv`, lines.join('\n'));
  await office.run('tariffs', 'import', '--dir', dirname(file), '--table', table);
}

/** By halves to the fewest that fail; where that is one, to the fewest of its acts. */
async function tellStory(lives: readonly Life[], times: Times, cause: unknown): Promise<never> {
  const middle = Math.ceil(lives.length / 2);
  const halves = middle < lives.length ? [lives.slice(0, middle), lives.slice(middle)] : [];
  for (const half of halves) await live(half, times).catch((error: unknown) => tellStory(half, times, error));
  const [life, ...others] = lives;
  if (life !== undefined && others.length === 0) await tellShorter(life, times);
  const stories = lives.map((living) => storyOf(living, times));
  throw told(stories, cause);
}

/** The stories, the money of their contracts, and below what was seen. */
function told(stories: readonly string[], cause: unknown): Error {
  const { message, cause: seen } = cause instanceof Error ? cause : { message: String(cause) };
  return new Error([`LIVES=${LIVES} LIVES_SEED=${SEED}`, ...stories, message].join('\n'), {
    cause: seen ?? cause,
  });
}

async function tellShorter(life: Life, times: Times): Promise<void> {
  const property = fc.asyncProperty(fc.subarray(life.acts), async (acts) => {
    await live([{ ...life, acts }], times);
  });
  await fc.assert(property, {
    numRuns: 1,
    examples: [[life.acts]],
    reporter: ({ failed, counterexample, errorInstance }) => {
      if (!failed) return;
      const [acts = life.acts] = counterexample ?? [];
      const story = storyOf({ ...life, acts }, times);
      throw told([story], errorInstance);
    },
  });
}

test('all documents of a contract come to what one bill over its whole life does, and every door shows them', {
  timeout: 6 * 3_600_000,
}, async () => {
  const usual = fc.sample(anyLife(MONTHS), { seed: SEED, numRuns: LIVES });
  const batches = Array.from({ length: Math.ceil(LIVES / BATCH) }, (_, batch) => {
    const months = monthsOf(batch);
    const own = usual.slice(batch * BATCH, (batch + 1) * BATCH);
    const [seed, numRuns] = [SEED + batch, own.length];
    const lives = months === MONTHS ? own : fc.sample(anyLife(months), { seed, numRuns });
    const [times] = fc.sample(anyTimes(months), { seed, numRuns: 1 });
    return { lives, times: times as Times };
  });
  const happened: Happened[] = [];
  /* A batch waits for its database most of the time. What is under way when another one fails goes to its end. */
  const oneAfterTheOther = async () => {
    for (let batch = batches.shift(); batch !== undefined; batch = batches.shift()) {
      const { lives, times } = batch;
      happened.push(await live(lives, times).catch((error: unknown) => tellStory(lives, times, error)));
    }
  };
  const lanes = await Promise.allSettled(Array.from({ length: LANES }, oneAfterTheOther));
  for (const lane of lanes) if (lane.status === 'rejected') throw lane.reason;
  /* VAT is the same for all of a batch: of others that are drawn, no share can be promised. */
  const sums = allOf(happened);
  if (SEED === SAME_SEED && LIVES === BATCH) happensOften(sums, LIVES);
  if (process.env.LIVES !== undefined)
    process.stdout.write(`${LIVES} lives of seed ${SEED}: ${JSON.stringify(Object.fromEntries(sums))}\n`);
});
