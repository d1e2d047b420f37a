/** What the guide says of one type of asset: fields of its rows, and what power below and above zero means there. */
export interface SignRow {
  type: string;
  fields: readonly string[];
  /** Null: it does not happen. */
  out: string | null;
  into: string | null;
  /** What a row with the other sign gets. */
  otherwise: 'refused' | '–';
}

export const SIGNS: readonly SignRow[] = [
  { type: 'solar', fields: ['power_kw'], out: 'produces', into: null, otherwise: 'refused' },
  {
    type: 'battery',
    fields: ['power_kw', 'state_of_charge'],
    out: 'discharges',
    into: 'charges',
    otherwise: '–',
  },
  {
    type: 'wallbox',
    fields: ['power_kw', 'connected', 'vehicle_state_of_charge'],
    out: 'car feeds back',
    into: 'charges the car',
    otherwise: '–',
  },
  { type: 'heat_pump', fields: ['power_kw'], out: null, into: 'consumes', otherwise: '–' },
  {
    type: 'inverter',
    fields: ['power_kw'],
    out: 'gives to the house',
    into: 'takes from it',
    otherwise: '–',
  },
  {
    type: 'household_net',
    fields: ['power_kw'],
    out: 'feeds the grid',
    into: 'draws from the grid',
    otherwise: '–',
  },
  { type: 'household_residual', fields: ['power_kw'], out: null, into: 'consumes', otherwise: 'refused' },
];
