import type { Answer, ApiClient } from '../../setup/client.ts';

/** One entry of an error answer. */
export interface Entry {
  code: string;
  field: string;
  message: string;
}

export interface ErrorBody {
  code: string;
  message: string;
  errors?: Entry[];
}

export interface AssetBody {
  id: string;
  household: string;
  type: string;
  external_id: string | null;
  parent_inverter: string | null;
  decommissioned_at: string | null;
  created_at: string;
  updated_at: string;
  [field: string]: unknown;
}

export interface AssetList {
  items: AssetBody[];
  has_more: boolean;
  next_page: string | null;
}

/** A body that adds a device of each type; a solar array needs its inverter besides. */
export const devices = {
  inverter: { type: 'inverter', inverter: { max_power_kw: 10, hybrid: true } },
  plainInverter: { type: 'inverter', inverter: { max_power_kw: 10 } },
  solar: { type: 'solar', solar: { peak_power_kw: 9.8 } },
  battery: {
    type: 'battery',
    battery: { capacity_kwh: 12, max_charge_power_kw: 6, max_discharge_power_kw: 5 },
  },
  wallbox: { type: 'wallbox', wallbox: { max_power_kw: 11 } },
  heatPump: { type: 'heat_pump', heat_pump: { max_power_kw: 3.5 } },
} as const;

/** Adds a device through the interface; anything but 200 is a failure of the test. */
export async function addDevice(
  client: ApiClient,
  household: string,
  device: Record<string, unknown>,
): Promise<AssetBody> {
  const answer = await client.post<AssetBody>('/assets', { household, ...device });
  if (answer.status !== 200) throw new Error(`${answer.status} ${answer.text}`);
  return answer.body;
}

/** Status, and code and field of each entry: what the interface promises about a refusal. */
export function refusal(answer: Answer<ErrorBody>) {
  return [answer.status, ...(answer.body.errors ?? []).map(({ code, field }) => `${code} ${field}`)];
}
