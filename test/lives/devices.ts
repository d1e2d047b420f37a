import { expect } from 'vitest';
import { openDatabase } from '../../src/platform/database/db.ts';
import { berlinDayAt, berlinMilliseconds, earlier, later } from '../../src/platform/time/berlin-calendar.ts';
import { sumQuarterHoursNow } from '../../src/telemetry/quarter-hours/sum.ts';
import type { Billed } from '../billing/invoices/billing.ts';
import type { ApiClient } from '../setup/client.ts';
import { storedRows } from '../setup/stored-rows.ts';
import { type AssetBody, addDevice, devices } from '../telemetry/assets/devices.ts';
import { type Energy, type Measured, measuredIn, rowsOf } from './counted.ts';
import { allPages, type BackOffice } from './doors.ts';
import { isMeasured, type Life } from './life.ts';
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

/** What a gateway sends again; weeks of quarter hours would cost too much here. */
const REPEATED_MAX = 100;

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

/** A device, a roof or a grid connection, and what its gateway sent or still keeps. */
interface Device {
  readonly living: Living;
  readonly asset: string;
  readonly externalId: string | null;
  readonly household: string;
  /** Null: of what is measured for the bills of a household. */
  readonly powers: readonly number[] | null;
  readonly sent: { count: number; power: number; last: string };
  kept: Row[];
  diedAt: number | null;
}

/** A household whose bills are made of what its gateway sends. */
interface Measuring {
  readonly living: Living;
  readonly devices: Device[];
  until: number;
  kept: Measured[];
  /** All that was sent, in time or not. */
  readonly sent: Energy;
}

/** The devices of all households: they measure, are silent for a month and send later what they kept, and die. */
export class Devices {
  readonly #billed: Billed;
  readonly #devices: Device[] = [];
  readonly #measuring: Measuring[] = [];
  #silent: ReadonlySet<Living> = new Set();

  constructor(billed: Billed) {
    this.#billed = billed;
  }

  /** As a partner does it at the sign-up. */
  async add(living: Living): Promise<void> {
    const { device } = living.life;
    const client = await this.#client();
    const { household } = living.contract.place;
    if (device !== null) {
      const named = { ...devices[device], external_id: externalIdOf(living) };
      const { id } = await addDevice(client, household, named);
      this.#devices.push(deviceOf(living, { asset: id, externalId: named.external_id }, POWERS[device]));
    }
    if (isMeasured(living.life)) await this.#addMeasuring(living, client);
  }

  /** The first device of a household makes its grid connection. */
  async #addMeasuring(living: Living, client: ApiClient): Promise<void> {
    const { household } = living.contract.place;
    const inverter = await addDevice(client, household, devices.plainInverter);
    const found: Device[] = [];
    if (living.life.connection === 'feeds_in') {
      const externalId = `${externalIdOf(living)} roof`;
      const roof = { ...devices.solar, parent_inverter: inverter.id, external_id: externalId };
      found.push(deviceOf(living, { asset: (await addDevice(client, household, roof)).id, externalId }));
    }
    const assets = await allPages<AssetBody>(client, `/assets?limit=100&filter[household][eq]=${household}`);
    const net = assets.find(({ type }) => type === 'household_net');
    found.push(deviceOf(living, { asset: String(net?.id), externalId: null }));
    this.#devices.push(...found);
    const sent = { consumption: 0, feed_in: 0, solar: 0 };
    this.#measuring.push({ living, devices: found, until: 0, kept: [], sent });
  }

  /** A month of all that still measure. */
  async month(silent: ReadonlySet<Living>, dying: ReadonlySet<Living>): Promise<void> {
    const now = this.#billed.clock.nowMilliseconds();
    for (const device of this.#devices) {
      if (device.living.person.isErased || device.diedAt !== null || device.powers === null) continue;
      device.kept.push(...hourly(device.asset, device.powers, now));
      if (silent.has(device.living)) continue;
      await this.#send(device);
      if (dying.has(device.living)) await this.#die(device, now);
    }
    this.#silent = silent;
    await this.households();
  }

  /** What gateways at grid connections measured and kept: after each month, and before the values of a month become final. */
  async households(): Promise<void> {
    const { api, clock } = this.#billed;
    const now = clock.nowMilliseconds();
    /* When a row came is said by the clock of the database, which nobody can set. */
    const stored = `ALTER COLUMN created_at SET DEFAULT '${clock.now().toISOString()}'`;
    if (this.#measuring.length > 0) await storedRows(api, `ALTER TABLE asset_snapshots ${stored}`);
    for (const household of this.#measuring) {
      const { living, devices: ofHousehold } = household;
      const { feedIn } = living;
      if (living.person.isErased) continue;
      const first = earlier(living.first, feedIn?.first ?? living.first);
      const end = later(living.end, feedIn?.end ?? living.end);
      const from = Math.max(household.until, berlinMilliseconds(first));
      const until = Math.max(from, Math.min(now, berlinMilliseconds(end)));
      household.kept.push(
        ...measuredIn({ from, until }, living.life.perDay, living.life.connection === 'feeds_in'),
      );
      household.until = until;
      if (this.#silent.has(living) || household.kept.length === 0) continue;
      for (const device of ofHousehold) {
        device.kept = rowsOf(device.asset, household.kept, device.externalId === null ? 'grid' : 'roof');
        await this.#send(device);
      }
      const today = berlinDayAt(now);
      for (const { start, consumption, feed_in, solar } of household.kept) {
        living.counted?.sent(today, start, consumption);
        feedIn?.counted?.sent(today, start, feed_in);
        household.sent.consumption += consumption;
        household.sent.feed_in += feed_in;
        household.sent.solar += solar;
      }
      household.kept = [];
    }
  }

  /** All that it kept; each second month its gateway loses the answer and sends all of it again. */
  async #send(device: Device): Promise<void> {
    const { household, kept, sent } = device;
    const client = await this.#client();
    if (kept.length === 0) return;
    const answers = [{ stored: kept.length, duplicates: 0 }];
    if (sent.count % 2 === 0 && kept.length <= REPEATED_MAX)
      answers.push({ stored: 0, duplicates: kept.length });
    for (const answer of answers) {
      const { status, text, body } = await client.post('/asset-snapshots', { household, snapshots: kept });
      expect([status, body], text).toEqual([200, expect.objectContaining(answer)]);
    }
    for (const { power_kw, timestamp } of kept) {
      sent.power += power_kw;
      if (timestamp > sent.last) sent.last = timestamp;
    }
    sent.count += kept.length;
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

  /**
   * And with it the value before it, which belongs to a time in which the device was in use. What the command line changed the
   * service sees within two seconds, and later on a busy machine. A text for a number keeps the batch from being stored until then.
   */
  async #isRefused({ asset, household, diedAt }: Device, at: number): Promise<void> {
    const before = diedAt === null ? [] : [diedAt - 1_000];
    const [power_kw, timestamp] = [0, new Date(at).toISOString()];
    const snapshots = [
      ...before.map((instant) => ({ asset, power_kw, timestamp: new Date(instant).toISOString() })),
      { asset, power_kw, timestamp },
      { asset, power_kw: 'much', timestamp },
    ];
    const client = await this.#client();
    const reasons = async () => {
      const { status, body } = await client.post<Refusal>('/asset-snapshots', { household, snapshots });
      return [status, ...(body.errors ?? []).map(({ code, field }) => `${code} ${field}`)];
    };
    const refusal = `custom snapshots.${before.length}.timestamp`;
    await expect.poll(reasons).toEqual(expect.arrayContaining([400, refusal]));
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
      const { count, power, last } = sent;
      if (count === 0) return [];
      return [{ asset, count, power: expect.closeTo(power, 6), last: new Date(last) }];
    });
    expect(counted).toHaveLength(expected.length);
    expect(counted).toEqual(expect.arrayContaining(expected));
    if (known.length === 0) return;
    const ids = known.map(({ asset }) => asset).join(',');
    const newest = await client.get<{ items: Row[] }>(`/asset-snapshots?filter[asset][in]=${ids}&limit=100`);
    expect(newest.status, newest.text).toBe(200);
    const since = clock.nowMilliseconds() - DAY;
    const recent = known.filter(({ sent }) => Date.parse(sent.last) >= since);
    expect(newest.body.items.map(({ asset, timestamp }) => `${asset} ${timestamp}`).sort()).toEqual(
      recent.map(({ asset, sent }) => `${asset} ${sent.last}`).sort(),
    );
    await this.#lookAtOne(client);
  }

  /** Each month another device, got by itself. Of an erased person's, nobody knows whose it was, and it was never in use. */
  async #lookAtOne(client: ApiClient): Promise<void> {
    const [device] = this.#devices;
    if (device === undefined) return;
    this.#devices.push(...this.#devices.splice(0, 1));
    const { asset, externalId, household, living } = device;
    const { status, body } = await client.get<AssetBody>(`/assets/${asset}`);
    const { isErased } = living.person;
    const diedAt = isErased ? NEVER_IN_USE : device.diedAt;
    expect([status, body.household, body.external_id, body.decommissioned_at]).toEqual([
      ...[200, household, isErased ? null : externalId],
      diedAt === null ? null : new Date(diedAt).toISOString(),
    ]);
    if (isErased) await this.#isRefused(device, this.#billed.clock.nowMilliseconds() - DAY);
  }

  /** When all is over analysts see of each household what was sent, late or not, and of each contract what was counted. */
  async lookAtTheEnd(office: BackOffice): Promise<void> {
    const { api, organization, clock } = this.#billed;
    const maintenance = openDatabase({
      ...{ url: api.database.maintenanceUrl, applicationName: 'lives', connectionsMax: 2, onError: () => {} },
    });
    await sumQuarterHoursNow({ maintenance, clock }, { signal: new AbortController().signal });
    await maintenance.close();
    const known = this.#measuring.filter(({ living, until }) => !living.person.isErased && until > 0);
    const households = await storedRows<Record<string, unknown>>(
      api,
      `SELECT household, sum(grid_import_kwh) AS consumption, sum(grid_export_kwh) AS feed_in,
              coalesce(sum(solar_kwh), 0) AS solar
         FROM analytics.household_energy_days WHERE organization_id = $1 AND grid_import_kwh IS NOT NULL GROUP BY 1`,
      [organization],
    );
    const energyOf = ({ consumption, feed_in, solar }: Energy) => ({
      ...{ consumption: expect.closeTo(consumption, 6), feed_in: expect.closeTo(feed_in, 6) },
      solar: expect.closeTo(solar, 6),
    });
    const expected = known
      .filter(({ sent }) => sent.consumption > 0)
      .map(({ living, sent }) => ({ household: living.contract.place.household, ...energyOf(sent) }));
    expect(households).toHaveLength(expected.length);
    expect(households).toEqual(expect.arrayContaining(expected));
    await isExported(office, known.find(({ living }) => living.feedIn !== null) ?? known[0]);
  }

  #client(): Promise<ApiClient> {
    return this.#billed.client(VERSION);
  }
}

function deviceOf(
  living: Living,
  named: Pick<Device, 'asset' | 'externalId'>,
  powers: Device['powers'] = null,
): Device {
  const sent = { count: 0, power: 0, last: '' };
  const { household } = living.contract.place;
  return { living, household, ...named, powers, sent, kept: [], diedAt: null };
}

/** One household for all: what it counted, and what it fed in. */
async function isExported(office: BackOffice, household: Measuring | undefined): Promise<void> {
  if (household === undefined) return;
  const { living } = household;
  const rows = await office.exported('usage', '--household', living.contract.place.household);
  for (const { contract, counted, first, end, isNeverSupplied } of [living, living.feedIn ?? living]) {
    const own = rows.filter((row) => row.contract === contract.id);
    const kwh = own.reduce((sum, row) => sum + Number(row.kwh), 0);
    expect(kwh).toBeCloseTo(isNeverSupplied ? 0 : (counted?.total(first, end) ?? 0), 6);
  }
}

/** Of the hours before. */
function hourly(asset: string, powers: readonly number[], now: number): Row[] {
  return powers.map((power_kw, index) => {
    return { asset, timestamp: new Date(now - (index + 1) * HOUR).toISOString(), power_kw };
  });
}
