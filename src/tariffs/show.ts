import type { Connection } from '../platform/database/db.ts';
import { module1Net, module2Net } from './module-formulas.ts';
import { findZipRows } from './queries.ts';
import { vatRate } from './service.ts';
import { servingGrid } from './serving-grid.ts';

/** Who serves a zip on a day, and every figure that is used for it. */
export interface ZipShown {
  zip: string;
  date: string;
  city: string | null;
  municipality_key: string | null;
  operator: string;
  name: string | null;
  share: string;
  concession_class: string;
  base_eur_year_net: string;
  working_ct_net: string;
  module_1_eur_year_net: string;
  module_1_from: 'price sheet' | 'formula';
  module_2_ct_net: string;
  module_2_from: 'price sheet' | 'formula';
  provisional: boolean;
  grid_fee_valid_from: string;
  grid_fee_valid_to: string | null;
  grid_fee_source: string;
  grid_fee_checked_on: string | null;
  vat_rate: string;
  carried_forward: string[];
}

/** Throws a sentence where the zip is not served. */
export async function showZip(connection: Connection, zip: string, on: string): Promise<ZipShown> {
  const answer = servingGrid(await findZipRows(connection, zip), on);
  if (answer.fee === undefined) {
    const reason =
      answer.area === undefined
        ? 'no operator is known for it'
        : `its operator ${answer.area.operator} has no grid fees`;
    throw new Error(`${zip} is not served on ${on}: ${reason}`);
  }
  const {
    area,
    fee: { row: fee },
    details,
    carriedForward,
  } = answer;
  const vat_rate = await vatRate(connection, on);
  const isPublished = (value: string | null) => (value === null ? 'formula' : 'price sheet');
  return {
    zip,
    date: on,
    city: area.city,
    municipality_key: area.municipality_key,
    operator: area.operator,
    name: details?.name ?? null,
    share: area.share,
    concession_class: area.concession_class,
    base_eur_year_net: fee.base_eur_year_net,
    working_ct_net: fee.working_ct_net,
    module_1_eur_year_net: fee.module_1_eur_year_net ?? module1Net(fee.working_ct_net, vat_rate).toFixed(2),
    module_1_from: isPublished(fee.module_1_eur_year_net),
    module_2_ct_net: fee.module_2_ct_net ?? module2Net(fee.working_ct_net).toFixed(2),
    module_2_from: isPublished(fee.module_2_ct_net),
    provisional: fee.provisional === 'true',
    grid_fee_valid_from: fee.valid_from,
    grid_fee_valid_to: fee.valid_to,
    grid_fee_source: fee.source,
    grid_fee_checked_on: fee.checked_on,
    vat_rate,
    carried_forward: carriedForward.map(({ table, key, endedOn }) => `${table} ${key} (ended ${endedOn})`),
  };
}
