import type { Demo, DemoAsset } from './demo.ts';

const VERSION = '2026-09-08.gauss';

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

/** A client of the service like any other: it knows the address and the demo client, nothing else. */
class DemoApi {
  readonly #baseUrl: string;
  readonly #token: string;

  private constructor(baseUrl: string, token: string) {
    this.#baseUrl = baseUrl;
    this.#token = token;
  }

  static async open(baseUrl: string, demo: Demo): Promise<DemoApi> {
    const credentials = Buffer.from(`${demo.client_id}:${demo.client_secret}`).toString('base64');
    const answer = await answered<{ access_token: string }>(
      fetch(`${baseUrl}/oauth/token`, {
        method: 'POST',
        headers: { authorization: `Basic ${credentials}` },
        body: new URLSearchParams({ grant_type: 'client_credentials' }),
      }),
    );
    return new DemoApi(baseUrl, answer.access_token);
  }

  call<Answer>(method: 'GET' | 'POST', path: string, body?: unknown): Promise<Answer> {
    return answered<Answer>(
      fetch(this.#baseUrl + path, {
        method,
        headers: {
          authorization: `Bearer ${this.#token}`,
          'x-api-version': VERSION,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
    );
  }
}

async function answered<Answer>(request: Promise<Response>): Promise<Answer> {
  const response = await request;
  if (!response.ok) throw new Error(`${response.url} answered ${response.status}: ${await response.text()}`);
  return (await response.json()) as Answer;
}

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
