import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { contractsOf } from '../../../../src/billing/invoices/basis/contracts.ts';
import { factsOf } from '../../../../src/billing/invoices/basis/facts.ts';
import type { DocumentFacts } from '../../../../src/billing/invoices/calculate/fact-types.ts';
import { renderInvoices } from '../../../../src/billing/invoices/files/render.ts';
import { clientOf } from '../../../../src/platform/database/db.ts';
import { addMonths, berlinMidnight } from '../../../../src/platform/time/berlin-calendar.ts';
import { importReferenceData } from '../../../../src/tariffs/reference-data/files/import.ts';
import type { Contract } from '../../../contracts/usage/metered.ts';
import { createInvoice } from '../../../setup/invoice-factories.ts';
import { storedRows } from '../../../setup/stored-rows.ts';
import { type Billed, startBilled } from '../billing.ts';
import { readPdf } from '../documents/pdf-reader.ts';

/** October was settled on the 11th. */
const NOW = '2026-11-12T05:30:00.000Z';
const OCTOBER = { from: '2026-10-01', until: '2026-11-01' };

let billed: Billed;
beforeAll(async () => {
  billed = await startBilled(NOW);
  await billed.price('2026-10-01', '2026-11-01', 80);
  await billed.issuer();
});
afterAll(() => billed?.close());

const smart = (start_at: string) => billed.contract({ meter_type: 'smart', start_at });

async function storedFacts({ id }: Contract): Promise<{ id: string; facts: DocumentFacts }> {
  const [row] = await storedRows<{ id: string; facts: DocumentFacts }>(
    billed.api,
    "SELECT id, facts FROM invoices WHERE subscription_id = $1 AND type = 'usage' ORDER BY running_number DESC LIMIT 1",
    [id],
  );
  if (row === undefined) throw new Error('No bill');
  return row;
}

/** Facts of October, and how many statements they took. */
async function octoberOf(contracts: readonly Contract[]) {
  const { api, organization } = billed;
  let statements = 0;
  const facts = await api.deps.database.inOrganization({ organization }, async (connection) => {
    const loaded = await contractsOf(
      connection,
      organization,
      contracts.map(({ id }) => ({ id, from: OCTOBER.from })),
    );
    const energy = {
      bySlot: [],
      kwh: '298',
      isEstimated: false,
      estimates: [],
      origin: 'metering_operator',
      byOrigin: [],
      readings: [],
    } as const;
    const documents = [...loaded.values()].map((contract) => ({
      ...{ contract, period: OCTOBER, pieces: [{ grid: { operator: 'netz-leipzig' } }], usage: { energy } },
    }));
    const sent = vi.spyOn(clientOf(connection), 'query');
    const read = await factsOf(connection, organization, documents, NOW);
    statements = sent.mock.calls.length;
    sent.mockRestore();
    return read;
  });
  return { facts, statements };
}

test('a bill keeps who, where, by whom and on which terms, and the file says it', async () => {
  const contract = await smart('2026-09-30T22:00:00Z');
  await billed.supply(contract, '2026-10-01', '2026-11-01');
  await billed.bill();
  const { id, facts } = await storedFacts(contract);
  expect(facts).toMatchObject({
    language: 'de',
    issuer: { name: 'Strom GmbH', supplierCode: '9900000000001', vatId: 'DE123456788' },
    recipient: { firstName: 'Käthe', lastName: 'Voß', address: { zip: '20354', city: 'Hamburg' } },
    supply: {
      address: { zip: '20354' },
      meters: [{ type: 'smart', from: '2026-10-01' }],
      gridOperator: { name: 'Netz Leipzig' },
      meteringOperator: { name: 'Netz Leipzig' },
    },
    /* One month from the 12th of November, and its last day counts. */
    contract: { first: '2026-10-01', end: null, noticeMonths: 1, nextTerminationOn: '2026-12-12' },
    usage: { kwh: '298', origin: 'metering_operator', isEstimated: false },
    payment: { creditorId: 'DE98ZZZ09999999999', maskedIban: expect.stringMatching(/^DE\*+\d{4}$/) },
  });
  expect(JSON.parse(JSON.stringify(facts))).toEqual(facts);
  const signal = new AbortController().signal;
  const run = { id: 1, dueAt: NOW, organization: billed.organization, signal, closing: signal };
  const { deps } = billed.api;
  await renderInvoices(deps, { ...run, log: deps.log, payload: { invoices: [id] } });
  const [file] = await storedRows<{ content: Buffer }>(
    billed.api,
    'SELECT content FROM invoice_files WHERE invoice_id = $1',
    [id],
  );
  const { text } = await readPdf(file?.content ?? Buffer.alloc(0));
  for (const part of [
    'Käthe Voß',
    'Netz Leipzig',
    '298,00 kWh',
    '8,00 ct/kWh',
    '§3 StromStG',
    '12.12.2026',
  ]) {
    expect(text).toContain(part);
  }
});

test('facts stay as they were when the address, the account and the issuer have changed since', async () => {
  const contract = await smart('2026-09-30T22:00:00Z');
  await billed.supply(contract, '2026-10-01', '2026-11-01');
  await billed.bill();
  const before = await storedFacts(contract);
  await storedRows(billed.api, "UPDATE addresses SET street = 'Neuer Weg' WHERE customer_id = $1", [
    contract.place.customer,
  ]);
  await storedRows(billed.api, "UPDATE issuers SET phone = '+49 40 2' WHERE organization_id = $1", [
    billed.organization,
  ]);
  expect(await storedFacts(contract)).toEqual(before);
  const { facts } = await octoberOf([contract]);
  expect(facts.get(contract.id)).toMatchObject({
    issuer: { phone: '+49 40 2' },
    recipient: { address: { street: 'Neuer Weg' } },
  });
});

test('usage is compared with the same days of the year before, where all of them are known', async () => {
  const known = await smart('2025-08-31T22:00:00Z');
  const partly = await smart('2025-08-31T22:00:00Z');
  await billed.supply(known, '2025-09-01', '2025-12-01', 0.2);
  await billed.supply(known, '2026-10-01', '2026-11-01', 0.1);
  await billed.supply(partly, '2025-10-02', '2025-11-01', 0.2);
  /* Its start was corrected: what came in for the days before is not its usage. */
  const corrected = await smart('2026-09-15T22:00:00Z');
  await billed.supply(corrected, '2026-08-01', '2026-10-01', 0.2);
  const { facts } = await octoberOf([known, partly, corrected]);
  expect(facts.get(corrected.id)?.comparison?.months.filter(({ kwh }) => kwh !== null)).toEqual([
    { month: '2026-10', kwh: '298', previousYearKwh: null },
  ]);
  const comparison = facts.get(known.id)?.comparison;
  /* 2,980 quarter hours: that October has the hour that comes twice. */
  expect(Number(comparison?.previousPeriodKwh)).toBe(596);
  const months = comparison?.months ?? [];
  expect(months).toHaveLength(12);
  expect(months[0]).toEqual({ month: '2025-11', kwh: '576', previousYearKwh: null });
  expect(months.at(-1)).toEqual({ month: '2026-10', kwh: '298', previousYearKwh: '596' });
  expect(comparison?.groups.map(({ code }) => code)).toEqual([
    'one_person',
    'two_persons',
    'three_persons',
    'house',
  ]);
  expect(comparison?.year.basis).toBe('expected');
  const other = facts.get(partly.id)?.comparison;
  expect(other).toMatchObject({ previousPeriodKwh: null });
  expect(other?.months.at(-1)?.previousYearKwh).toBeNull();
});

test('a contract that ends says until when, and names no other day', async () => {
  const contract = await billed.contract({
    ...{ meter_type: 'smart', start_at: '2026-09-30T22:00:00Z' },
    ...{
      end_at: '2026-11-30T23:00:00Z',
      terminated_at: '2026-11-02T10:00:00Z',
      termination_reason: 'ORDINARY',
    },
  });
  const { facts } = await octoberOf([contract]);
  expect(facts.get(contract.id)?.contract).toMatchObject({ end: '2026-12-01', nextTerminationOn: null });
});

type BillOfPeriod = readonly [from: string, until: string, kwh: string];

async function issued({ id, place }: Contract, bills: readonly BillOfPeriod[]): Promise<void> {
  for (const [from, until, usage_kwh] of bills) {
    const period = { period_start: berlinMidnight(from), period_end: berlinMidnight(until) };
    const of = { customer_id: place.customer, subscription_id: id, year: Number(from.slice(0, 4)) };
    await createInvoice(billed.api.deps, billed.organization, { ...of, ...period, usage_kwh });
  }
}

test('what was billed of the year before is what it is compared with, whatever its days say by now', async () => {
  const contract = await smart('2025-09-30T22:00:00Z');
  await billed.supply(contract, '2025-10-01', '2025-11-01', 0.2);
  await issued(contract, [['2025-10-01', '2025-11-01', '612.5']]);
  const comparison = (await octoberOf([contract])).facts.get(contract.id)?.comparison;
  expect(comparison?.previousPeriodKwh).toBe('612.5');
  expect(comparison?.months.at(-1)?.previousYearKwh).toBe('612.5');
});

/** The years before a day of a contract with bills of these periods. */
async function yearlyOn(day: string, ...bills: readonly BillOfPeriod[]) {
  const { api, organization } = billed;
  const contract = await smart(berlinMidnight(bills[0]?.[0] ?? day));
  await issued(contract, bills);
  const contracts = await api.deps.database.inOrganization({ organization }, (connection) =>
    contractsOf(connection, organization, [{ id: contract.id, from: day }]),
  );
  return contracts.get(contract.id)?.yearlyKwh;
}

test('the years that decide the class of metering are those that a bill closed, also behind months of the same year', async () => {
  const years = await yearlyOn(
    '2029-12-01',
    ['2026-10-01', '2026-11-01', '600'],
    ['2026-11-01', '2026-12-01', '600'],
    ['2026-12-01', '2027-12-01', '7001'],
    ['2027-12-01', '2028-12-01', '7002'],
    ['2028-12-01', '2029-12-01', '7003'],
  );
  expect(years).toEqual(['7003', '7002', '7001']);
});

test('the years of monthly bills that decide it are calendar years, those only that are whole', async () => {
  const months = Array.from({ length: 27 }, (_, month) => addMonths('2026-03-01', month));
  const bills = months.map((month) => [month, addMonths(month, 1), '100'] as const);
  expect(await yearlyOn('2028-06-01', ...bills)).toEqual(['1200']);
});

/** Price lists are kept for some seconds, else it takes two more to read them. */
const STATEMENTS_MAX = 11;

test('many contracts take as many statements as one', async () => {
  const contracts = [await smart('2026-09-30T22:00:00Z')];
  const single = await octoberOf(contracts);
  for (let count = 0; count < 9; count += 1) contracts.push(await smart('2026-09-30T22:00:00Z'));
  const ten = await octoberOf(contracts);
  expect(ten.facts.size).toBe(10);
  for (const { statements } of [single, ten]) {
    expect(statements).toBeGreaterThanOrEqual(STATEMENTS_MAX - 2);
    expect(statements).toBeLessThanOrEqual(STATEMENTS_MAX);
  }
});

test('a bill made of invented prices keeps that they are', async () => {
  const contract = await smart('2026-09-30T22:00:00Z');
  await billed.supply(contract, '2026-10-01', '2026-11-01');
  await storedRows(billed.api, "INSERT INTO price_kind (kind) VALUES ('synthetic')");
  try {
    await billed.bill();
  } finally {
    await storedRows(billed.api, 'DELETE FROM price_kind');
  }
  expect((await storedFacts(contract)).facts.hasInventedPrices).toBe(true);
});

test('the energy mix that a supplier gave stands on its bills from its first day on, with its year', async () => {
  const contract = await smart('2026-09-30T22:00:00Z');
  expect((await octoberOf([contract])).facts.get(contract.id)?.energyMix).toBeUndefined();
  const folder = await mkdtemp(join(tmpdir(), 'voltstream-mix-'));
  const rows = [
    'supplier,year,nuclear,coal,gas,other_fossil,renewable_funded,renewable_other,co2_g_kwh,radioactive_waste_g_kwh,valid_from,valid_to,source,checked_on',
    '9900000000001,2024,0,1,0,0,0,0,800,0,2025-07-01,2026-07-01,Strom GmbH 2025,',
    '9900000000001,2025,0,0.1,0.125,0,0.575,0.2,150,0.0001,2026-07-01,,Strom GmbH 2026,',
    '9900000000002,2025,1,0,0,0,0,0,0,0.003,2026-07-01,,Andere 2026,',
  ];
  await writeFile(join(folder, 'energy_mixes.csv'), rows.join('\n'));
  const act = { staff: 'ada', reason: 'ticket 18', command: 'tariffs import', now: NOW };
  const { problems } = await importReferenceData(billed.api.deps.database, { folder }, act);
  await rm(folder, { recursive: true });
  expect(problems).toEqual([]);
  expect((await octoberOf([contract])).facts.get(contract.id)?.energyMix).toEqual({
    own: {
      ...{ year: 2025, co2GramsPerKwh: '150', wasteGramsPerKwh: '0.0001', source: 'Strom GmbH 2026' },
      shares: {
        ...{ nuclear: '0', coal: '0.1', gas: '0.125', other_fossil: '0' },
        ...{ renewable_funded: '0.575', renewable_other: '0.2' },
      },
    },
    germany: null,
  });
});
