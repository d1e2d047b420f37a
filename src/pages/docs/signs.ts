import { type AssetType, measuredFieldsOf } from '../../telemetry/snapshots/fields.ts';

/** The guide says this of one type of asset: fields of its rows, and the meaning of power below and above zero. */
export interface SignRow {
  type: AssetType;
  fields: readonly string[];
  /** Null: it does not happen. */
  out: string | null;
  into: string | null;
  /** What a row with the other sign gets. */
  otherwise: 'refused' | '–';
}

const ROWS: readonly Omit<SignRow, 'fields'>[] = [
  { type: 'solar', out: 'produces', into: null, otherwise: 'refused' },
  {
    type: 'battery',
    out: 'discharges',
    into: 'charges',
    otherwise: '–',
  },
  {
    type: 'wallbox',
    out: 'car feeds back',
    into: 'charges the car',
    otherwise: '–',
  },
  { type: 'heat_pump', out: null, into: 'consumes', otherwise: '–' },
  {
    type: 'inverter',
    out: 'gives to the house',
    into: 'takes from it',
    otherwise: '–',
  },
  {
    type: 'household_net',
    out: 'feeds the grid',
    into: 'draws from the grid',
    otherwise: '–',
  },
  { type: 'household_residual', out: null, into: 'consumes', otherwise: 'refused' },
];

export const SIGNS: readonly SignRow[] = ROWS.map((row) => ({ ...row, fields: measuredFieldsOf(row.type) }));
