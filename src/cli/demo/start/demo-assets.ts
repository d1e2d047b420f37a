import type { DemoAsset } from '../../local/facts.ts';
import type { Demo } from './demo.ts';
import { DemoApi } from './demo-api.ts';

/** One device of every type, as an installer would register them; the solar array and the battery need the inverter. */
function devices(inverter: string) {
  return [
    {
      type: 'solar',
      external_id: 'demo-solar-1',
      display_name: 'Roof',
      parent_inverter: inverter,
      solar: { peak_power_kw: 9.8, azimuth: 180, tilt: 35 },
    },
    {
      type: 'battery',
      external_id: 'demo-battery-1',
      display_name: 'Battery',
      parent_inverter: inverter,
      battery: { capacity_kwh: 10, max_charge_power_kw: 5, max_discharge_power_kw: 5 },
    },
    {
      type: 'wallbox',
      external_id: 'demo-wallbox-1',
      display_name: 'Wallbox',
      wallbox: { max_power_kw: 11, phases: 3 },
    },
    {
      type: 'heat_pump',
      external_id: 'demo-heat-pump-1',
      display_name: 'Heat pump',
      heat_pump: { max_power_kw: 4, thermal_power_kw: 12 },
    },
  ];
}

const INVERTER = {
  type: 'inverter',
  external_id: 'demo-inverter-1',
  display_name: 'Inverter',
  inverter: { max_power_kw: 10, hybrid: true },
};

/** The assets of the demo household, created where they are missing. */
export async function demoAssets(baseUrl: string, demo: Demo): Promise<DemoAsset[]> {
  const api = await DemoApi.open(baseUrl, demo);
  const list = async () => {
    const path = `/assets?limit=100&filter%5Bhousehold%5D%5Beq%5D=${demo.household}`;
    return (await api.call<{ items: DemoAsset[] }>('GET', path)).items;
  };
  const present = new Map((await list()).map((asset) => [asset.external_id, asset.id]));
  const ensure = async (device: { external_id: string }): Promise<string> =>
    present.get(device.external_id) ??
    (await api.call<{ id: string }>('POST', '/assets', { household: demo.household, ...device })).id;
  const inverter = await ensure(INVERTER);
  for (const device of devices(inverter)) await ensure(device);
  return (await list()).map(({ id, type, external_id }) => ({ id, type, external_id })).toReversed();
}
