import type { Selectable } from 'kysely';
import type { Connection } from '../platform/database/db.ts';
import type { Tables } from '../platform/database/tables.ts';

export type ZipAreaRow = Selectable<Tables['zip_areas']>;
export type GridFeeRow = Selectable<Tables['grid_fees']>;
export type GridOperatorRow = Selectable<Tables['grid_operators']>;
export type VatRateRow = Selectable<Tables['vat_rates']>;
export type LoadProfileRow = Selectable<Tables['load_profiles']>;

/* Rows of all days: which of them counts is one rule, and it stands in validity.ts. */

export function listZipAreas(connection: Connection, zip: string): Promise<ZipAreaRow[]> {
  return connection
    .selectFrom('zip_areas')
    .selectAll()
    .where('zip', '=', zip)
    .orderBy('operator')
    .orderBy('valid_from')
    .execute();
}

export function listGridFees(connection: Connection, operator: string): Promise<GridFeeRow[]> {
  return connection.selectFrom('grid_fees').selectAll().where('operator', '=', operator).execute();
}

export function listGridOperators(connection: Connection, operator: string): Promise<GridOperatorRow[]> {
  return connection.selectFrom('grid_operators').selectAll().where('operator', '=', operator).execute();
}

export function listVatRates(connection: Connection): Promise<VatRateRow[]> {
  return connection.selectFrom('vat_rates').selectAll().execute();
}

export function listLoadProfile(connection: Connection, profile: string): Promise<LoadProfileRow[]> {
  return connection.selectFrom('load_profiles').selectAll().where('profile', '=', profile).execute();
}
