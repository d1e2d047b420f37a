import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Contract } from '../../../contracts/usage/metered.ts';
import { HEADERS } from '../../../tariffs/reference-data/reference-store.ts';
import { BILLED, corrected, MANY_COMMANDS, takeBilledMonths, WHY } from './billed-months.ts';

const { cli, ofOrganization, done, folder, nextRun, documents, contractFor } = await takeBilledMonths();

const ROW_END = '2026-11-20';

test('rates of feed-in, fees of a metering operator and areas of ZIPs correct the bills they concern, and no others', {
  timeout: MANY_COMMANDS,
}, async () => {
  const import_ = async (table: 'eeg_rates' | 'metering_fees' | 'zip_areas', ...rows: string[]) => {
    await writeFile(join(folder, `${table}.csv`), [HEADERS[table], ...rows, ''].join('\n'));
    await done(cli('tariffs', 'import', '--dir', folder, '--table', table, ...WHY));
  };
  /* Under the highest fee of the law, and a name that has no rows of its own yet. */
  await import_(
    'metering_fees',
    `werk-nord,smart_up_to_6000,smart,,6000,,,no,24,2025-01-01,,offer,${ROW_END}`,
  );
  const [plain, measured, feeding, later] = [
    await contractFor(),
    await contractFor(),
    await contractFor({ type: 'feed_in' }),
    await contractFor({ type: 'feed_in' }),
  ];
  await done(
    ofOrganization(
      'meters',
      'change',
      measured.meter,
      '--metering-operator',
      'werk-nord',
      '--from',
      '2026-05-01',
    ),
  );
  const plant = (contract: Contract, day: string) =>
    done(
      ofOrganization('subscriptions', 'set-plant', contract.id, '--commissioned-on', day, '--size-kw', '9'),
    );
  await plant(feeding, '2025-09-01');
  await plant(later, '2026-03-01');
  await nextRun();
  await nextRun();
  const all = async () => await Promise.all([plain, measured, feeding, later].map(documents));
  expect(await all()).toEqual([BILLED, BILLED, BILLED, BILLED]);

  await import_(
    'metering_fees',
    `werk-nord,smart_up_to_6000,smart,,6000,,,no,24,2025-01-01,2026-06-11,offer,${ROW_END}`,
    `werk-nord,smart_up_to_6000,smart,,6000,,,no,12,2026-06-11,,offer,${ROW_END}`,
  );
  await import_('eeg_rates', `partial,10,9.26,8.86,2025-08-01,2026-02-01,§49 EEG 2023,${ROW_END}`);
  await nextRun();
  const first = [BILLED, corrected('06'), corrected('05', '06'), BILLED];
  expect(await all()).toEqual(first);

  await import_(
    'zip_areas',
    `20354,netz-leipzig,T4,1,,,2026-01-01,2026-06-11,tests,${ROW_END}`,
    `20354,netz-leipzig,T1,1,,,2026-06-11,,tests,${ROW_END}`,
  );
  await nextRun();
  expect(await documents(plain)).toEqual(corrected('06'));
  expect(await documents(measured)).toEqual([
    ...BILLED.slice(0, 1),
    '06 voided',
    'void paid',
    '06 voided',
    'void paid',
    '06 open',
  ]);
  expect([await documents(feeding), await documents(later)]).toEqual(first.slice(2));
});
