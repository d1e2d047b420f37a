import { afterAll, beforeAll, expect, test } from 'vitest';
import { HOLD_CAUSES, listPlannedReminders, takeReminder } from '../../../src/billing/dunning/queries.ts';
import { runDunning } from '../../../src/billing/dunning/run.ts';
import { resumeDunning, stopDunning } from '../../../src/billing/dunning/staff.ts';
import { voidInvoiceByStaff } from '../../../src/billing/invoices/issue/void.ts';
import { bankFiles } from '../../../src/billing/payments/bank-files.ts';
import { makeDebitFile } from '../../../src/billing/payments/make-file.ts';
import { enterPayment } from '../../../src/billing/payments/staff.ts';
import { type Mail, type MailMessage, PerhapsSent } from '../../../src/platform/mail.ts';
import { runCommand } from '../../cli/command-line.ts';
import { testEnvironment } from '../../setup/api.ts';
import { waitingForLocks, whileHeld } from '../../setup/held-row.ts';
import { auditRows, storedRows } from '../../setup/stored-rows.ts';
import { factsOfSample } from '../invoices/documents/sample-facts.ts';
import { camt, startBank, type TestBank } from '../payments/bank.ts';

/* Due on 2027-01-26; reminders after 7 and 21 days, given up after 49. */
const DAYS = {
  before: '2027-02-01T08:00:00.000Z',
  first: '2027-02-02T08:00:00.000Z',
  second: '2027-02-16T08:00:00.000Z',
  last: '2027-03-16T08:00:00.000Z',
};

let bank: TestBank;
beforeAll(async () => {
  bank = await startBank();
});
afterAll(() => bank?.close());

/** Takes what the service hands over, as its folder of mails would. */
function mailbox(): Mail & { taken: MailMessage[] } {
  const taken: MailMessage[] = [];
  return {
    isOn: true,
    taken,
    send: (message) => {
      taken.push(message);
    },
    deliver: async (message) => {
      taken.push(message);
      return true;
    },
    check: async () => {},
    idle: async () => {},
    close: async () => {},
  };
}

function run(organization: string | null, mail: Mail) {
  const { signal } = new AbortController();
  return runDunning({ ...bank.api.deps, mail }, { organization, signal, log: bank.api.deps.log });
}

async function overdue(given: Parameters<TestBank['bill']>[1] = {}) {
  const organization = await bank.organization();
  const bill = await bank.bill(await bank.contract(organization), given);
  bank.clock.set(DAYS.first);
  return { organization, ...bill, acting: [bank.api.deps, organization, bill.id, bank.act()] as const };
}

test('a bill that nobody pays is reminded of twice, each once, and then given up', async () => {
  const { organization, id, number } = await overdue();
  const mail = mailbox();
  bank.clock.set(DAYS.before);
  expect(await run(organization, mail)).toMatchObject({ reminders: 0 });
  bank.clock.set(DAYS.first);
  expect(await run(organization, mail)).toMatchObject({ reminders: 1, mails: 1 });
  expect(await run(organization, mail)).toMatchObject({ reminders: 0, mails: 0 });
  expect(mail.taken[0]?.subject).toBe(`Zahlungserinnerung: Rechnung ${number}`);
  expect(mail.taken[0]?.text).toContain('fällig am 26. Januar 2027, fehlen noch 119,00\u00a0€');
  expect(mail.taken[0]?.text).toContain('bis zum 16. Februar 2027');
  bank.clock.set(DAYS.second);
  await Promise.all([run(organization, mail), run(organization, mail)]);
  expect(mail.taken.map(({ subject }) => subject)).toEqual([
    `Zahlungserinnerung: Rechnung ${number}`,
    `Mahnung: Rechnung ${number}`,
  ]);
  bank.clock.set(DAYS.last);
  expect(await run(organization, mail)).toMatchObject({ uncollectible: 1, mails: 0 });
  expect((await bank.stateOf(id)).told).toEqual(['invoice.created', 'invoice.uncollectible']);
  expect(await run(organization, mail)).toMatchObject({ uncollectible: 0 });
});

test('a first run that is late leaves the whole period until the next step', async () => {
  const { organization } = await overdue();
  const mail = mailbox();
  bank.clock.set(DAYS.last);
  await run(organization, mail);
  await run(organization, mail);
  expect(mail.taken).toHaveLength(1);
  bank.clock.set('2027-03-29T08:00:00.000Z');
  await run(organization, mail);
  expect(mail.taken).toHaveLength(1);
  bank.clock.set('2027-03-30T08:00:00.000Z');
  await run(organization, mail);
  expect(mail.taken).toHaveLength(2);
});

test('nobody hears of what is paid, in part of the rest, of what is held, and of what a debit is collecting', async () => {
  const part = await overdue();
  const mail = mailbox();
  await enterPayment({ amount: '100' }, ...part.acting);
  await run(part.organization, mail);
  expect(mail.taken[0]?.text).toContain('noch 19,00\u00a0€');
  const held = await overdue();
  await stopDunning('disputed', ...held.acting);
  await run(held.organization, mail);
  const collected = await overdue();
  await makeDebitFile(bank.api.deps, collected.organization, { provider: bankFiles }, bank.act());
  await run(collected.organization, mail);
  const paid = await overdue();
  await enterPayment({}, ...paid.acting);
  await run(paid.organization, mail);
  const reversed = await overdue();
  await voidInvoiceByStaff(bank.api.deps, reversed.organization, reversed.id, bank.act());
  await run(reversed.organization, mail);
  expect(mail.taken).toHaveLength(1);
  await resumeDunning(...held.acting);
  await run(held.organization, mail);
  expect(mail.taken).toHaveLength(2);
});

test('a stop that is entered again changes nothing, another cause contradicts it, and only what is stopped goes on', async () => {
  const { organization, acting } = await overdue();
  await stopDunning('disputed', ...acting);
  expect(await stopDunning('disputed', ...acting)).toMatchObject({ held: 'disputed' });
  const other = HOLD_CAUSES.find((cause) => cause !== 'disputed') ?? 'disputed';
  await expect(stopDunning(other, ...acting)).rejects.toThrow('It is stopped already (disputed)');
  await resumeDunning(...acting);
  await expect(resumeDunning(...acting)).rejects.toThrow('It is not stopped');
  const results = (await auditRows(bank.api, organization, 'dunning.')).map(
    ({ act, result }) => `${act} ${result}`,
  );
  expect(results).toEqual(['dunning.stop done', 'dunning.stop unchanged', 'dunning.resume done']);
});

test('nobody is reminded of what a statement paid whose import ended before it was booked', async () => {
  const { organization, id, number } = await overdue();
  await bank.importAndDie(organization, camt([{ amount: '119.00', text: number }]));
  expect(await run(organization, mailbox())).toMatchObject({ reminders: 0, mails: 0 });
  expect((await bank.stateOf(id)).status).toBe('paid');
});

test('a run that is asked for is told as one object to programs, and as a sentence to people', async () => {
  const organization = await bank.organization();
  const environment = testEnvironment(bank.api.database, 'redis://127.0.0.1:1');
  const words = [
    'invoices',
    'dunning',
    'run',
    '--organization',
    organization,
    '--reason',
    'r',
    '--staff',
    's',
  ];
  const { stdout } = await runCommand(environment, ...words, '--json');
  expect(JSON.parse(stdout)).toEqual({ organization, state: 'waiting' });
  const told = await runCommand(environment, ...words);
  expect(told).toMatchObject({ exitCode: 0, stdout: 'asked for: a worker begins within half a minute\n' });
  const line = { act: 'dunning.run', object_id: organization, staff: 's', reason: 'r', result: 'done' };
  expect(await auditRows(bank.api, organization, 'dunning.')).toMatchObject([line, line]);
});

test('a process that dies at a mail never sends one twice, and the others leave with the next run', async () => {
  const organization = await bank.organization();
  const contract = await bank.contract(organization);
  for (let month = 0; month < 3; month += 1) await bank.bill(contract, { month });
  bank.clock.set(DAYS.first);
  const mail = mailbox();
  const dying: Mail = {
    ...mail,
    deliver: (message) =>
      mail.taken.push(message) === 2 ? new Promise<boolean>(() => {}) : Promise.resolve(true),
  };
  void run(organization, dying);
  await expect.poll(() => mail.taken.length).toBe(2);
  await run(organization, mail);
  expect(new Set(mail.taken.map(({ subject }) => subject)).size).toBe(3);
  expect(mail.taken).toHaveLength(3);
});

test('mails that certainly did not leave wait for the next run, and nobody is given up for want of them', async () => {
  const organization = await bank.organization();
  const contract = await bank.contract(organization);
  for (let month = 0; month < 2; month += 1) await bank.bill(contract, { month });
  const mail = mailbox();
  const failing = (deliver: Mail['deliver']) => run(organization, { ...mail, deliver });
  const steps = () =>
    storedRows(
      bank.api,
      'SELECT mail, reminded_on::text FROM dunning_steps WHERE organization_id = $1 ORDER BY invoice_id',
      [organization],
    );
  const planned = { mail: 'planned', reminded_on: '2027-02-02' };
  const away = () => failing(() => Promise.reject(new Error('away')));
  bank.clock.set(DAYS.first);
  await expect(away()).rejects.toThrow('away');
  expect(await steps()).toEqual([planned, planned]);
  bank.clock.set(DAYS.last);
  await expect(away()).rejects.toThrow('away');
  expect(await failing(async () => false)).toMatchObject({ uncollectible: 0, mails: 0 });
  const full = Object.assign(new Error('full'), { code: 'EENVELOPE', responseCode: 452 });
  expect(await failing(() => Promise.reject(full))).toMatchObject({ mails: 0 });
  expect(await steps()).toEqual([planned, planned]);
  await expect(failing(() => Promise.reject(new PerhapsSent('no answer')))).rejects.toThrow('no answer');
  expect(await steps()).toEqual([{ mail: 'handed_over', reminded_on: '2027-03-16' }, planned]);
  expect(await run(organization, mail)).toMatchObject({ mails: 1 });
});

test('a reminder that two runs see is taken by one of them', async () => {
  const { organization } = await overdue();
  const mail = mailbox();
  await run(organization, { ...mail, isOn: false });
  const { database } = bank.api.deps;
  const [seen] = await database.inOrganization({ organization }, (connection) =>
    listPlannedReminders(connection, organization, { after: null, rowsMax: 9 }),
  );
  if (seen === undefined) throw new Error('No reminder is planned');
  await run(organization, mail);
  const isTaken = await database.inOrganization({ organization }, (connection) =>
    takeReminder(connection, organization, seen, '2027-02-02'),
  );
  expect([mail.taken.length, isTaken]).toEqual([1, false]);
});

test.each(['suspended', 'deleted'])(
  'I18 bills of an organization that is %s wait until it is back',
  async (standing) => {
    const { organization } = await overdue();
    const mail = mailbox();
    const stand = (as: string) =>
      storedRows(bank.api, 'UPDATE organizations SET standing = $2 WHERE id = $1', [organization, as]);
    const reminders = async () => {
      await run(null, mail);
      const steps = 'SELECT FROM dunning_steps WHERE organization_id = $1';
      return (await storedRows(bank.api, steps, [organization])).length;
    };
    await stand(standing);
    expect(await reminders()).toBe(0);
    await stand('past_due');
    expect(await reminders()).toBe(1);
  },
);

test('a bill that is settled between its step and its mail gets none; without a mail server mails wait', async () => {
  const { organization, acting } = await overdue();
  const mail = mailbox();
  await run(organization, { ...mail, isOn: false });
  await enterPayment({}, ...acting);
  await run(organization, mail);
  expect(mail.taken).toEqual([]);
  const rows = await storedRows(bank.api, 'SELECT mail FROM dunning_steps WHERE organization_id = $1', [
    organization,
  ]);
  expect(rows).toEqual([{ mail: 'dropped' }]);
});

test('a reminder that was not sent comes before any other, and the next step waits for its whole period', async () => {
  const { organization, id, number, acting } = await overdue();
  const mail = mailbox();
  const subjects = () => mail.taken.map(({ subject }) => subject);
  await run(organization, { ...mail, isOn: false });
  await stopDunning('disputed', ...acting);
  await run(organization, mail);
  expect(subjects()).toEqual([]);
  bank.clock.set(DAYS.second);
  await resumeDunning(...acting);
  await run(organization, { ...mail, isOn: false });
  bank.clock.set(DAYS.last);
  /* Four weeks without a mail server: nobody was reminded, so that nobody is given up. */
  await run(organization, { ...mail, isOn: false });
  await enterPayment({ amount: '19' }, ...acting);
  await run(organization, mail);
  expect(subjects()).toEqual([`Zahlungserinnerung: Rechnung ${number}`]);
  expect(mail.taken[0]?.text).toContain('noch 100,00\u00a0€');
  const steps =
    'SELECT level, amount::float8, reminded_on::text, mail FROM dunning_steps WHERE invoice_id = $1';
  expect(await storedRows(bank.api, steps, [id])).toEqual([
    { level: 1, amount: 100, reminded_on: '2027-03-16', mail: 'handed_over' },
  ]);
  for (const day of ['2027-03-17T08:00:00.000Z', '2027-03-29T08:00:00.000Z']) {
    bank.clock.set(day);
    expect(await run(organization, mail)).toMatchObject({ reminders: 0, uncollectible: 0, mails: 0 });
  }
  bank.clock.set('2027-03-30T08:00:00.000Z');
  await run(organization, mail);
  expect(subjects().slice(1)).toEqual([`Mahnung: Rechnung ${number}`]);
});

test('a second reminder that an earlier version planned behind a waiting first one keeps its period', async () => {
  const { organization, number } = await overdue();
  const mail = mailbox();
  await run(organization, { ...mail, isOn: false });
  await storedRows(
    bank.api,
    `INSERT INTO dunning_steps (organization_id, customer_id, invoice_id, level, amount, reminded_on, created_at)
     SELECT organization_id, customer_id, invoice_id, 2, amount, '2027-02-16', created_at
       FROM dunning_steps WHERE organization_id = $1`,
    [organization],
  );
  const subjects = () => mail.taken.map(({ subject }) => subject);
  const first = `Zahlungserinnerung: Rechnung ${number}`;
  for (const day of [DAYS.last, '2027-03-17T08:00:00.000Z', '2027-03-29T08:00:00.000Z']) {
    bank.clock.set(day);
    await run(organization, mail);
    expect(subjects()).toEqual([first]);
  }
  bank.clock.set('2027-03-30T08:00:00.000Z');
  await run(organization, mail);
  expect(subjects()).toEqual([first, `Mahnung: Rechnung ${number}`]);
});

test('in English where the bill is', async () => {
  const { organization, number } = await overdue({ facts: factsOfSample({ language: 'en' }) });
  const mail = mailbox();
  await run(organization, mail);
  expect(mail.taken[0]?.subject).toBe(`Payment reminder: invoice ${number}`);
  expect(mail.taken[0]?.text).toContain('due on 26 January 2027, €119.00 are missing');
});

test('a bill that is reversed while a run looks at it gets no reminder', async () => {
  const { organization, id } = await overdue();
  const mail = mailbox();
  let running: ReturnType<typeof run> | undefined;
  await whileHeld(
    bank.api.database,
    ['invoices', id],
    () => voidInvoiceByStaff(bank.api.deps, organization, id, bank.act()),
    async () => {
      running = run(organization, mail);
      await expect.poll(() => waitingForLocks(bank.api.database)).toBeGreaterThan(1);
    },
  );
  expect(await running).toMatchObject({ reminders: 0 });
  expect(mail.taken).toEqual([]);
});
