import { audit } from '../../platform/audit.ts';
import { csvProblemsText } from '../../platform/csv/csv.ts';
import { readCsvTable } from '../../platform/csv/table.ts';
import type { Database } from '../../platform/database/db.ts';
import type { Deps } from '../../platform/deps.ts';
import { newId } from '../../platform/ids.ts';
import type { ListFilter } from '../../platform/interface/filters.ts';
import { newestRows, pageOf } from '../../platform/interface/newest-first.ts';
import type { ApiRequest, Page } from '../../platform/interface/route.ts';
import { type StaffAct, staffOf } from '../../platform/staff-act.ts';
import {
  listMarketPartners,
  lockMarketPartners,
  type MarketPartnerRow,
  upsertMarketPartner,
} from './queries.ts';
import type { ListedSupplier, MarketPartner } from './schema.ts';

type PartnerDeps = Pick<Deps, 'database'>;

export async function getMarketPartners(
  { database }: PartnerDeps,
  { list }: ApiRequest,
): Promise<Page<MarketPartner>> {
  const rows = await database.asService((connection) => listMarketPartners(connection, list));
  return pageOf(rows, list, (row) => ({
    object: 'market_partner',
    ...row,
    code_type: 'BDEW',
    type: 'supplier',
  }));
}

export async function getSuppliers(
  { database }: PartnerDeps,
  { list }: ApiRequest,
): Promise<Page<ListedSupplier>> {
  const rows = await database.asService((connection) => listMarketPartners(connection, list));
  return pageOf(rows, list, (row) => ({ object: 'supplier', ...row, code_type: 'BDEW' }));
}

export function searchSuppliers(
  parts: PartnerDeps,
  request: ApiRequest<{ name: string }>,
): Promise<Page<ListedSupplier>> {
  const { name } = request.query;
  const named: ListFilter = { field: 'name', operator: 'contains', value: name, type: 'string' };
  return getSuppliers(parts, { ...request, list: { ...request.list, filters: [named] } });
}

/** The newest market partners, for the operator. */
export function marketPartners(database: Database, limit: number): Promise<MarketPartnerRow[]> {
  return database.asService((connection) =>
    newestRows({}, limit, (list) => listMarketPartners(connection, list)),
  );
}

const NAME_CHARACTERS_MAX = 255;

/** Takes in a file with the columns code, name and country, entirely or not at all; a known code is updated. */
export async function importMarketPartners(
  database: Database,
  file: { name: string; bytes: Uint8Array },
  act: StaffAct,
): Promise<{ created: number; changed: number; unchanged: number }> {
  const partners = readPartners(file);
  return await database.asService(async (connection) => {
    const stored = await lockMarketPartners(
      connection,
      partners.map(({ code }) => code),
    );
    const known = new Map(stored.map((row) => [row.code, row]));
    const counts = { created: 0, changed: 0, unchanged: 0 };
    for (const partner of partners) {
      const before = known.get(partner.code);
      const isSame = before?.name === partner.name && before.country === partner.country;
      counts[before === undefined ? 'created' : isSame ? 'unchanged' : 'changed'] += 1;
      if (isSame) continue;
      await upsertMarketPartner(connection, { id: before?.id ?? newId('mp'), ...partner }, act.now);
    }
    if (counts.created + counts.changed > 0) {
      await audit(connection, { ...staffOf(act, null), act: 'market_partner.import' });
    }
    return counts;
  });
}

type Partner = Pick<MarketPartnerRow, 'code' | 'name' | 'country'>;

function readPartners({ name, bytes }: { name: string; bytes: Uint8Array }): Partner[] {
  const { rows, problems } = readCsvTable(bytes, { columns: ['code', 'name', 'country'] });
  const lines = new Map<string, number>();
  const partners: Partner[] = [];
  for (const row of rows) {
    const partner = {
      code: row.needed('code', () => row.matching('code', /^\d{13}$/, 'Not 13 digits')),
      name: row.needed('name', () => row.text('name')),
      country: row.needed('country', () =>
        row.matching('country', /^[A-Z]{2}$/, 'Not two upper-case letters (DE)'),
      ),
    };
    if (partner.name !== null && [...partner.name].length > NAME_CHARACTERS_MAX) {
      row.refuse('name', `At most ${NAME_CHARACTERS_MAX} characters`);
    }
    const earlier = lines.get(row.raw('code'));
    if (earlier !== undefined) row.refuse('code', `Line ${earlier} has this code too`);
    else lines.set(row.raw('code'), row.line);
    partners.push(partner as Partner);
  }
  if (problems.length === 0) return partners;
  throw new Error(csvProblemsText(name, problems));
}
