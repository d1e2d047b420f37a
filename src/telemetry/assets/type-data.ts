import { z } from 'zod';

/** What a client can add. */
export const DEVICE_TYPES = ['inverter', 'solar', 'battery', 'wallbox', 'heat_pump'] as const;
/** Made by the service with the first device of a household: the grid connection, and what no other asset covers. */
export const HOUSEHOLD_ASSET_TYPES = ['household_net', 'household_residual'] as const;

export type DeviceType = (typeof DEVICE_TYPES)[number];
export type AssetType = DeviceType | (typeof HOUSEHOLD_ASSET_TYPES)[number];

export function isDeviceType(type: string): type is DeviceType {
  return (DEVICE_TYPES as readonly string[]).includes(type);
}

/** A million kilowatts and kilowatt hours: more than any power station has. */
const RATING_MAX = 1_000_000;

/** A field of another type is no misspelling: the message says which fields this one has. */
function fieldsOf<Shape extends z.ZodRawShape>(type: DeviceType, shape: Shape) {
  const names = Object.keys(shape).join(', ');
  return z.object(shape, {
    error: (issue) =>
      issue.code === 'unrecognized_keys'
        ? `Unrecognized key. An asset of type ${type} has ${names}`
        : undefined,
  });
}

const kilowatts = (description: string) =>
  z
    .number()
    .gt(0)
    .lte(RATING_MAX)
    .meta({ description: `${description}, kW` });

/*
 * The data of each type, as answers show it. A nullable field may be left out when the asset is added; the others have
 * to be sent, but for the flags that `newTypeData` gives a default. Ratings are greater than zero: snapshots are
 * compared with them.
 */
const inverter = fieldsOf('inverter', {
  max_power_kw: kilowatts('Rated power'),
  hybrid: z.boolean().meta({ description: 'Whether batteries are connected behind this inverter' }),
});
const solar = fieldsOf('solar', {
  peak_power_kw: kilowatts('Peak power of the modules'),
  azimuth: z.number().min(0).max(360).nullable().meta({
    description: 'Direction the modules face, degrees clockwise from north',
  }),
  tilt: z.number().min(0).max(90).nullable().meta({
    description: 'Inclination of the modules, degrees from horizontal',
  }),
});
const battery = fieldsOf('battery', {
  capacity_kwh: z.number().gt(0).lte(RATING_MAX).meta({ description: 'Usable capacity, kWh' }),
  max_charge_power_kw: kilowatts('Rated charging power'),
  max_discharge_power_kw: kilowatts('Rated discharging power'),
});
const wallbox = fieldsOf('wallbox', {
  max_power_kw: kilowatts('Rated charging power'),
  phases: z.literal([1, 3]).nullable().meta({ description: 'Number of connected phases' }),
  bidirectional: z.boolean().meta({ description: 'Whether the car can feed back' }),
});
const heatPump = fieldsOf('heat_pump', {
  max_power_kw: kilowatts('Rated electrical power'),
  thermal_power_kw: kilowatts('Rated heat output').nullable().meta({ description: 'Rated heat output, kW' }),
});

export const typeData = { inverter, solar, battery, wallbox, heat_pump: heatPump } as const;

export type TypeDataColumn = {
  [Type in DeviceType]: keyof z.output<(typeof typeData)[Type]>;
}[DeviceType];

export const typeDataColumns: Readonly<Record<DeviceType, readonly TypeDataColumn[]>> = {
  inverter: inverter.keyof().options,
  solar: solar.keyof().options,
  battery: battery.keyof().options,
  wallbox: wallbox.keyof().options,
  heat_pump: heatPump.keyof().options,
};

/** On create. An unknown field is refused: it is a misspelt rating more often than anything else. */
export const newTypeData = {
  inverter: inverter.extend({ hybrid: inverter.shape.hybrid.default(false) }).strict(),
  solar: solar
    .extend({ azimuth: solar.shape.azimuth.default(null), tilt: solar.shape.tilt.default(null) })
    .strict(),
  battery: battery.strict(),
  wallbox: wallbox
    .extend({
      phases: wallbox.shape.phases.default(null),
      bidirectional: wallbox.shape.bidirectional.default(false),
    })
    .strict(),
  heat_pump: heatPump.extend({ thermal_power_kw: heatPump.shape.thermal_power_kw.default(null) }).strict(),
} as const;

/** On update: what is sent replaces, what is left out stays. */
export const changedTypeData = {
  inverter: inverter.partial().strict(),
  solar: solar.partial().strict(),
  battery: battery.partial().strict(),
  wallbox: wallbox.partial().strict(),
  heat_pump: heatPump.partial().strict(),
} as const;
