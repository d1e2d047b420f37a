import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { berlinMilliseconds } from '../../../../src/platform/time/berlin-calendar.ts';
import { quarterHours } from '../../../contracts/usage/metered.ts';
import { auditRows, storedRows } from '../../../setup/stored-rows.ts';
import { HEADERS } from '../../../tariffs/reference-data/reference-store.ts';
import { BILLED, corrected, MANY_COMMANDS, takeBilledMonths, WHY } from './billed-months.ts';

const { billed, cli, ofOrganization, done, folder, fileOf, nextRun, documents, contractFor } =
  await takeBilledMonths();

/** Two bodies of one day, the second with other prices: what comes first is the publication. */
async function importPrices(amount: number): Promise<void> {
  const from = berlinMilliseconds('2026-06-10') / 1_000;
  const unix_seconds = Array.from({ length: 96 }, (_, index) => from + index * 900);
  const body = {
    license_info: 'CC BY 4.0',
    unix_seconds,
    price: unix_seconds.map(() => amount),
    unit: 'EUR / MWh',
  };
  const file = await fileOf('prices.json', JSON.stringify({ ...body, deprecated: false }));
  await done(cli('prices', 'import', file, '--source', 'energy-charts'));
}

test('a price list is looked at before it corrects the bills of its days', {
  timeout: MANY_COMMANDS,
}, async () => {
  const contract = await contractFor();
  await nextRun();
  expect(await documents(contract)).toEqual(BILLED);
  const rows = [
    'stromsteuer,2.05,2025-01-01,2026-06-11,§3 StromStG,2026-11-20',
    'stromsteuer,1.05,2026-06-11,,§3 StromStG,2026-11-20',
  ];
  await writeFile(join(folder, 'levies.csv'), [HEADERS.levies, ...rows, ''].join('\n'));
  await done(cli('tariffs', 'import', '--dir', folder, '--table', 'levies', ...WHY));
  const today = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);
  const all = ['invoices', 'correct', '--all', '--since', today];
  const shown = await ofOrganization(...all, '--json');
  expect([shown.exitCode, shown.stderr]).toEqual([0, '']);
  const preview = JSON.parse(shown.stdout) as { bills: Record<string, string>[] };
  /* 20 days of 9.6 kWh cost a cent less for each: 1.92 EUR and its VAT, but for lines that are rounded in two pieces now. */
  expect(preview.bills.filter(({ subscription }) => subscription === contract.id)).toEqual([
    expect.objectContaining({ from: '2026-06-01', until: '2026-07-01', difference: '-2.26' }),
  ]);
  expect(await documents(contract)).toEqual(BILLED);
  await nextRun();
  expect(await documents(contract)).toEqual(corrected('06'));

  await importPrices(80);
  await nextRun();
  expect(await documents(contract)).toEqual(corrected('06'));
  await importPrices(180);
  const issued = await ofOrganization(...all, '--issue', '--json');
  expect([issued.exitCode, issued.stderr]).toEqual([0, '']);
  expect(JSON.parse(issued.stdout)).toMatchObject({ refused: 0 });
  /* The preview is read by whoever may order it, and leaves none. */
  expect(await auditRows(billed.api, billed.organization, 'invoices.correct')).toEqual([
    expect.objectContaining({ act: 'invoices.correct_all', route: 'invoices correct', staff: 'ada' }),
  ]);
  expect(await documents(contract)).toEqual([
    ...['05 open', '06 voided', 'void paid', '06 voided', 'void paid', '06 open'],
  ]);
});

test('a bill that was given up is not reversed: it says so, and is corrected when it was paid after all', {
  timeout: MANY_COMMANDS,
}, async () => {
  const contract = await contractFor();
  await nextRun();
  const [may] = await billed.bills(contract);
  await done(ofOrganization('invoices', 'uncollectible', String(may?.id)));
  const day = quarterHours('2026-05-09T22:00:00Z', '2026-05-10T22:00:00Z', 1);
  const file = await fileOf('usage.csv', 'start,kwh', ...day);
  await done(cli('usage', 'import', file, '--subscription', contract.id));
  await nextRun();
  expect(await documents(contract)).toEqual(['05 uncollectible', '06 open']);
  expect(await billed.refusals(contract)).toMatchObject([{ type: 'correction', code: 'not_reversible' }]);

  await done(ofOrganization('invoices', 'pay', String(may?.id)));
  await nextRun();
  /* What was paid is owed back, until it is settled with the new bill. */
  expect(await documents(contract)).toEqual(['05 voided', '06 open', 'void open', '05 open']);
  expect(await billed.refusals(contract)).toEqual([]);
});

test('a bill that was reversed and made again has the limit of module 1 behind it settled anew', {
  timeout: MANY_COMMANDS,
}, async () => {
  const contract = await billed.contract({
    ...{ meter_type: 'smart', start_at: '2026-04-30T22:00:00Z', end_at: '2026-06-30T22:00:00Z' },
    ...{ status: 'active', confirmed_at: '2026-04-01T00:00:00Z' },
  });
  await storedRows(
    billed.api,
    `INSERT INTO grid_fee_reductions (organization_id, id, customer_id, subscription_id, type, status, valid_from)
     VALUES ($1, 'gfr_' || substr($2, 5), $3, $2, 'enwg-14a-module-1', 'activated', '2026-04-30T22:00:00Z')`,
    [billed.organization, contract.id, contract.place.customer],
  );
  await billed.supply(contract, '2026-05-01', '2026-07-01', 0.001);
  await nextRun();
  expect(await documents(contract)).toEqual(BILLED);
  const [may] = await billed.bills(contract);
  await storedRows(
    billed.api,
    `UPDATE usage_quarter_hours SET kwh = 0.02 WHERE subscription_id = $1 AND interval_start < '2026-05-31T22:00:00Z'`,
    [contract.id],
  );
  await done(ofOrganization('invoices', 'void', String(may?.id)));
  await nextRun();
  await nextRun();
  expect((await documents(contract)).at(-1)).toBe('exit_summary open');
});

test('feed-in of a plant that is older than the first VAT rate is billed', {
  timeout: MANY_COMMANDS,
}, async () => {
  const contract = await contractFor({ type: 'feed_in' });
  const row = 'partial,10,12.71,12.31,2015-04-01,2024-02-01,§49 EEG 2014,2026-11-20';
  await writeFile(join(folder, 'eeg_rates.csv'), [HEADERS.eeg_rates, row, ''].join('\n'));
  await done(cli('tariffs', 'import', '--dir', folder, '--table', 'eeg_rates', ...WHY));
  const plant = ['--commissioned-on', '2015-06-01', '--size-kw', '9'];
  await done(ofOrganization('subscriptions', 'set-plant', contract.id, ...plant));
  await nextRun();
  expect(await documents(contract)).toEqual(BILLED);
});

test('a metering fee of the grid operator is charged and corrected where nobody else operates the meter', {
  timeout: MANY_COMMANDS,
}, async () => {
  const [plain, other] = [await contractFor(), await contractFor()];
  const since = ['--metering-operator', 'messwerk', '--from', '2026-05-01'];
  await done(ofOrganization('meters', 'change', other.meter, ...since));
  await nextRun();
  await nextRun();
  const row = 'netz-leipzig,smart_up_to_6000,smart,,6000,,,no,20,2026-06-01,,price sheet,2026-11-20';
  await writeFile(join(folder, 'metering_fees.csv'), [HEADERS.metering_fees, row, ''].join('\n'));
  await done(cli('tariffs', 'import', '--dir', folder, '--table', 'metering_fees', ...WHY));
  await nextRun();
  expect(await documents(plain)).toEqual(corrected('06'));
  expect(await documents(other)).toEqual(BILLED);
  const [last] = (await billed.bills(plain)).slice(-1);
  const bill = await cli(
    'invoices',
    'show',
    String(last?.id),
    '--organization',
    billed.organization,
    '--json',
  );
  const { lines, facts } = JSON.parse(bill.stdout);
  expect(facts.supply.meteringOperator.name).toBe('Netz Leipzig');
  const metering = lines.find(({ kind }: { kind: string }) => kind === 'metering');
  const fee = { key: 'netz-leipzig smart_up_to_6000', value: '20', validFrom: '2026-06-01' };
  expect(metering.figures).toContainEqual(expect.objectContaining(fee));
});
