import { DateTime } from 'luxon';
import type { Clock } from '../../../platform/clock.ts';
import { berlinMilliseconds } from '../../../platform/time/berlin-calendar.ts';
import type { Device, HouseholdAsset } from '../../simulation/devices.ts';

/*
 * What the learning data are made of. Ids are written out and values follow from them, so that every machine has the same
 * rows to the last digit. No random id begins with "learning", and no name passes for a real one.
 */

export const LEARNING_ORGANIZATION = {
  id: 'org_learning0000000000000000',
  name: 'Learning data (invented)',
} as const;

/** Thirty days of Europe/Berlin with the longest one among them: the clock goes back on 2026-10-25. */
export const LEARNING_DAYS = { first: '2026-10-10', last: '2026-11-08', end: '2026-11-09' } as const;

/** Households and customers are there before their first snapshot. */
export const SIGNED_UP_AT = '2026-09-21T08:00:00.000Z';

/** Where a price sheet of the project's reference data holds. */
export const LEARNING_ZIP = '10115';
export const placeOf = (number: number) => {
  return { street: 'Lernweg', house_number: String(number), zip: LEARNING_ZIP, city: 'Berlin' };
};

/** The past is made under clocks of its days. */
export const standingClock = (milliseconds: number): Clock => {
  return { nowMilliseconds: () => milliseconds, now: () => new Date(milliseconds) };
};

const secondsOf = (instant: string) => DateTime.fromISO(instant).toSeconds();

/** Whole seconds since 1970, as all instants of the simulation. */
export const LEARNING_SPAN = {
  begins: berlinMilliseconds(LEARNING_DAYS.first) / 1000,
  ends: berlinMilliseconds(LEARNING_DAYS.end) / 1000,
} as const;

export const LEARNING_STEP_SECONDS = 300;

export type LearningAsset = (Device | HouseholdAsset) & {
  id: string;
  /** Absent: one of the two that the service adds to every household. */
  externalId?: string;
  displayName?: string;
  parentInverter?: string;
  /** The gateway never reports it. */
  isSilent?: true;
};

export interface LearningHousehold {
  number: number;
  id: string;
  customer: string;
  displayName: string;
  assets: readonly LearningAsset[];
  /** Hours since 12:00 UTC before which no car is charged; absent: as soon as it is there. */
  chargesFromHours?: number;
  /** Seconds by which its gateway measures behind the others. */
  delaySeconds: number;
  /** When its gateway sent nothing. */
  silent?: { from: number; until: number };
}

export const idOf = (prefix: string, name: string) => `${prefix}_learning${name.padStart(16, '0')}`;

const INVERTER: Device = { type: 'inverter', inverter: { max_power_kw: 10, hybrid: true } };
const HEAT_PUMP: Device = { type: 'heat_pump', heat_pump: { max_power_kw: 3.5, thermal_power_kw: 11 } };

const roof = (peak_power_kw: number, azimuth: number): Device => ({
  type: 'solar',
  solar: { peak_power_kw, azimuth, tilt: 35 },
});

const battery = (capacity_kwh: number, power: number): Device => ({
  type: 'battery',
  battery: { capacity_kwh, max_charge_power_kw: power, max_discharge_power_kw: power },
});

const wallbox = (max_power_kw: number): Device => ({
  type: 'wallbox',
  wallbox: { max_power_kw, phases: max_power_kw > 5 ? 3 : 1, bidirectional: false },
});

/** Devices of a household with their ids, and the two assets that the service adds. */
function assetsOf(
  number: number,
  devices: readonly Device[],
  { isResidualSilent = false } = {},
): LearningAsset[] {
  const inverter = idOf('ast', `${number}inverter`);
  const made = devices.map((device): LearningAsset => {
    const name = device.type.replace('_', '');
    return {
      ...device,
      id: idOf('ast', `${number}${name}`),
      externalId: `learning-${number}-${name}`,
      displayName: `Learning ${number}: ${device.type.replace('_', ' ')}`,
      ...(device.type === 'solar' || device.type === 'battery' ? { parentInverter: inverter } : {}),
    };
  });
  return [
    ...made,
    { type: 'household_net', id: idOf('ast', `${number}net`) },
    {
      type: 'household_residual',
      id: idOf('ast', `${number}residual`),
      ...(isResidualSilent ? { isSilent: true as const } : {}),
    },
  ];
}

const household = (number: number, kind: string) => ({
  number,
  id: idOf('dom', String(number)),
  customer: idOf('cus', String(number)),
  displayName: `Learning ${number}: ${kind}`,
  delaySeconds: number * 23,
});

/** Six households that differ in what questions are about. */
export const LEARNING_HOUSEHOLDS: readonly LearningHousehold[] = [
  {
    ...household(1, 'roof, battery, wallbox, heat pump'),
    assets: assetsOf(1, [INVERTER, roof(9.8, 180), battery(10, 5), wallbox(11), HEAT_PUMP]),
  },
  {
    ...household(2, 'roof, battery, a car that is charged at night; some hours of silence'),
    assets: assetsOf(2, [INVERTER, roof(7.5, 135), battery(7.5, 3.5), wallbox(11)]),
    chargesFromHours: 13.5,
    silent: { from: secondsOf('2026-10-20T06:10:00Z'), until: secondsOf('2026-10-20T12:45:00Z') },
  },
  { ...household(3, 'roof alone'), assets: assetsOf(3, [INVERTER, roof(9, 225)]) },
  {
    ...household(4, 'wallbox and heat pump, residual not measured'),
    assets: assetsOf(4, [wallbox(3.7), HEAT_PUMP], { isResidualSilent: true }),
  },
  {
    ...household(5, 'heat pump, its gateway fell silent'),
    assets: assetsOf(5, [HEAT_PUMP]),
    silent: { from: secondsOf('2026-10-30T08:00:00Z'), until: LEARNING_SPAN.ends },
  },
  {
    ...household(6, 'wallbox, its gateway never sent anything'),
    assets: assetsOf(6, [wallbox(11)]),
    silent: { from: LEARNING_SPAN.begins, until: LEARNING_SPAN.ends },
  },
];
