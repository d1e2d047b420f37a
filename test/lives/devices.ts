import { expect } from 'vitest';
import type { Billed } from '../billing/invoices/billing.ts';
import type { ApiClient } from '../setup/client.ts';
import { storedRows } from '../setup/stored-rows.ts';
import { type AssetBody, addDevice, devices } from '../telemetry/assets/devices.ts';
import type { Life } from './life.ts';
import type { Living } from './living.ts';

/** The first version with devices. */
const VERSION = '2026-09-08.gauss';
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** kW of the hours before a month's day; what goes out of a battery is negative. */
const POWERS: Readonly<Record<NonNullable<Life['device']>, readonly number[]>> = {
  wallbox: [11, 0, 3.7],
  heatPump: [0.2, 3.5, 1],
  battery: [-5, 0.125, 6],
};

/** As the description of the table has it. */
const NEVER_IN_USE = 0;

/** Nobody else's has the word of the person in it. */
const externalIdOf = ({ id, person }: Living) => `${person.word} ${id}`;

interface Refusal {
  errors?: { code: string; field: string }[];
}

interface Row {
  asset: string;
  timestamp: string;
  power_kw: number;
}

/** A device, and what its gateway sent or still keeps. */
interface Device {
  readonly living: Living;
  readonly asset: string;
  readonly household: string;
  readonly powers: readonly number[];
  readonly sent: Row[];
  kept: Row[];
  diedAt: number | null;
}

/** The devices of all households: they measure, are silent for a month and send later what they kept, and die. */
export class Devices {
  readonly #billed: Billed;
  readonly #devices: Device[] = [];

  constructor(billed: Billed) {
    this.#billed = billed;
  }

  /** As a partner does it at the sign-up. */
  async add(living: Living): Promise<void> {
    const { device } = living.life;
    if (device === null) return;
    const { household } = living.contract.place;
    const named = { ...devices[device], external_id: externalIdOf(living) };
    const { id } = await addDevice(await this.#client(), household, named);
    this.#devices.push({
      ...{ living, asset: id, household, powers: POWERS[device] },
      ...{ sent: [], kept: [], diedAt: null },
    });
  }

  /** A month of all that still measure. */
  async month(silent: ReadonlySet<Living>, dying: ReadonlySet<Living>): Promise<void> {
    const now = this.#billed.clock.nowMilliseconds();
    for (const device of this.#devices) {
      if (device.living.person.isErased || device.diedAt !== null) continue;
      device.kept.push(...this.#measured(device, now));
      if (silent.has(device.living)) continue;
      await this.#send(device);
      if (dying.has(device.living)) await this.#die(device, now);
    }
  }

  #measured({ asset, powers }: Device, now: number): Row[] {
    return powers.map((power_kw, index) => {
      const timestamp = new Date(now - (index + 1) * HOUR).toISOString();
      return { asset, timestamp, power_kw };
    });
  }

  /** All that it kept; each second month its gateway loses the answer and sends all of it again. */
  async #send(device: Device): Promise<void> {
    const { household, kept, sent } = device;
    const client = await this.#client();
    const answers = [{ stored: kept.length, duplicates: 0 }];
    if (sent.length % 2 === 0) answers.push({ stored: 0, duplicates: kept.length });
    for (const answer of answers) {
      const { status, text, body } = await client.post('/asset-snapshots', { household, snapshots: kept });
      expect([status, body], text).toEqual([200, expect.objectContaining(answer)]);
    }
    sent.push(...kept);
    device.kept = [];
  }

  /** Values of later moments are refused. */
  async #die(device: Device, now: number): Promise<void> {
    const client = await this.#client();
    const diedAt = now - 30 * 60_000;
    const decommissioned_at = new Date(diedAt).toISOString();
    const answer = await client.post<AssetBody>(`/assets/${device.asset}/decommission`, {
      decommissioned_at,
    });
    expect([answer.status, answer.body.decommissioned_at], answer.text).toEqual([200, decommissioned_at]);
    device.diedAt = diedAt;
    await this.#isRefused(device, diedAt + 1_000);
  }

  /** And with it the value before it, which belongs to a time in which the device was in use. */
  async #isRefused({ asset, household, diedAt }: Device, at: number): Promise<void> {
    const before = diedAt === null ? [] : [diedAt - 1_000];
    const snapshots = [...before, at].map((instant) => ({
      ...{ asset, power_kw: 1, timestamp: new Date(instant).toISOString() },
    }));
    const client = await this.#client();
    const { status, text, body } = await client.post<Refusal>('/asset-snapshots', { household, snapshots });
    const reasons = body.errors?.map(({ code, field }) => `${code} ${field}`);
    expect([status, reasons], text).toEqual([
      400,
      expect.arrayContaining([`custom snapshots.${before.length}.timestamp`]),
    ]);
  }

  /** Each value that was acknowledged is there, once, for clients and analysts; nothing of an erased person's. */
  async look(): Promise<void> {
    const { api, organization, clock } = this.#billed;
    const known = this.#devices.filter(({ living }) => !living.person.isErased);
    const client = await this.#client();
    const counted = await storedRows(
      api,
      `SELECT asset, count(*)::int AS count, sum(power_kw)::float8 AS power, max("timestamp") AS last
         FROM analytics.snapshots WHERE organization_id = $1 GROUP BY 1`,
      [organization],
    );
    const expected = known.flatMap(({ asset, sent }) => {
      if (sent.length === 0) return [];
      const power = sent.reduce((sum, row) => sum + row.power_kw, 0);
      return [{ asset, count: sent.length, power: expect.closeTo(power, 6), last: new Date(lastOf(sent)) }];
    });
    expect(counted).toHaveLength(expected.length);
    expect(counted).toEqual(expect.arrayContaining(expected));
    if (known.length === 0) return;
    const ids = known.map(({ asset }) => asset).join(',');
    const newest = await client.get<{ items: Row[] }>(`/asset-snapshots?filter[asset][in]=${ids}&limit=100`);
    expect(newest.status, newest.text).toBe(200);
    const since = clock.nowMilliseconds() - DAY;
    const recent = known.filter(({ sent }) => sent.some(({ timestamp }) => Date.parse(timestamp) >= since));
    expect(newest.body.items.map(({ asset, timestamp }) => `${asset} ${timestamp}`).sort()).toEqual(
      recent.map(({ asset, sent }) => `${asset} ${lastOf(sent)}`).sort(),
    );
    await this.#lookAtOne(client);
  }

  /** Each month another device, got by itself. Of an erased person's, nobody knows whose it was, and it was never in use. */
  async #lookAtOne(client: ApiClient): Promise<void> {
    const [device] = this.#devices;
    if (device === undefined) return;
    this.#devices.push(...this.#devices.splice(0, 1));
    const { asset, household, living } = device;
    const { status, body } = await client.get<AssetBody>(`/assets/${asset}`);
    const { isErased } = living.person;
    const diedAt = isErased ? NEVER_IN_USE : device.diedAt;
    expect([status, body.household, body.external_id, body.decommissioned_at]).toEqual([
      ...[200, household, isErased ? null : externalIdOf(living)],
      diedAt === null ? null : new Date(diedAt).toISOString(),
    ]);
    if (isErased) await this.#isRefused(device, this.#billed.clock.nowMilliseconds() - DAY);
  }

  #client(): Promise<ApiClient> {
    return this.#billed.client(VERSION);
  }
}

function lastOf(rows: readonly Row[]): string {
  return (
    rows
      .map(({ timestamp }) => timestamp)
      .toSorted()
      .at(-1) ?? ''
  );
}
