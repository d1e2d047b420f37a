import { z } from 'zod';
import { wireSchemas } from '../../platform/interface/wire-schemas.ts';
import {
  changedTypeData,
  type DeviceType,
  HOUSEHOLD_ASSET_TYPES,
  newTypeData,
  typeData,
} from './type-data.ts';

const { name, text, instant, objectName, ownId, createdAt, updatedAt } = wireSchemas;

const NAME_CHARACTERS_MAX = 100;
const EXTERNAL_ID_CHARACTERS_MAX = 255;

const externalId = text({ max: EXTERNAL_ID_CHARACTERS_MAX })
  .nullable()
  .meta({ description: "The client's own id: unique in the organization, never reused, compared as sent" });
const displayName = name({ max: NAME_CHARACTERS_MAX }).nullable().meta({ description: 'Name for people' });
const manufacturer = name({ max: NAME_CHARACTERS_MAX })
  .nullable()
  .meta({ description: 'Maker of the device' });
const model = name({ max: NAME_CHARACTERS_MAX }).nullable().meta({ description: 'Model of the device' });
/** Any text: one that is no id of an inverter is found by the rule, with a better sentence. */
const parentInverter = z.string().meta({ description: 'Id of the inverter this asset is connected to' });

const optionalInverter = parentInverter
  .nullish()
  .meta({ description: 'Id of the inverter this asset is connected to; of solar arrays and batteries only' });

function typeOf<Type extends DeviceType>(type: Type) {
  return z.literal(type).meta({ description: 'Kind of the device; its data stand under the same name' });
}

const newFields = z.object({
  household: z.string().meta({ description: 'Id of the household the device belongs to; cannot change' }),
  external_id: externalId.optional(),
  display_name: displayName.optional(),
  manufacturer: manufacturer.optional(),
  model: model.optional(),
});

/*
 * An intersection, so that problems of the common fields and of the type's own are listed together. Data under the name
 * of another type is not looked at.
 */
export const newAsset = z.intersection(
  newFields,
  z.discriminatedUnion('type', [
    z.object({
      type: typeOf('inverter'),
      parent_inverter: optionalInverter,
      inverter: newTypeData.inverter.meta({
        description: 'Its ratings, against which every snapshot is checked',
      }),
    }),
    z.object({
      type: typeOf('solar'),
      parent_inverter: parentInverter,
      solar: newTypeData.solar.meta({ description: 'Its ratings, against which every snapshot is checked' }),
    }),
    z.object({
      type: typeOf('battery'),
      parent_inverter: optionalInverter,
      battery: newTypeData.battery.meta({
        description: 'Its ratings, against which every snapshot is checked',
      }),
    }),
    z.object({
      type: typeOf('wallbox'),
      parent_inverter: optionalInverter,
      wallbox: newTypeData.wallbox.meta({
        description: 'Its ratings, against which every snapshot is checked',
      }),
    }),
    z.object({
      type: typeOf('heat_pump'),
      parent_inverter: optionalInverter,
      heat_pump: newTypeData.heat_pump.meta({
        description: 'Its ratings, against which every snapshot is checked',
      }),
    }),
  ]),
);

/** Which type's data counts is known only when the asset is: it is checked after the asset was found. */
function checkedLater(schema: z.ZodType, type: DeviceType) {
  const { $schema: _, ...described } = z.toJSONSchema(schema, { io: 'input', target: 'draft-2020-12' });
  return z
    .unknown()
    .optional()
    .meta({
      ...described,
      description: `Ratings of an asset of type ${type}: what is sent replaces, the rest stays`,
    });
}

export const changedAsset = z.object({
  external_id: externalId.optional(),
  display_name: displayName.optional(),
  manufacturer: manufacturer.optional(),
  model: model.optional(),
  parent_inverter: optionalInverter,
  inverter: checkedLater(changedTypeData.inverter, 'inverter'),
  solar: checkedLater(changedTypeData.solar, 'solar'),
  battery: checkedLater(changedTypeData.battery, 'battery'),
  wallbox: checkedLater(changedTypeData.wallbox, 'wallbox'),
  heat_pump: checkedLater(changedTypeData.heat_pump, 'heat_pump'),
});

export const decommission = z.object({
  decommissioned_at: instant()
    .optional()
    .meta({ description: 'When the device stopped; now where absent, never in the future' }),
});

const shownNames = {
  external_id: z
    .string()
    .nullable()
    .meta({ description: "The client's own id, as sent; null where none was" }),
  display_name: z.string().nullable().meta({ description: 'Name for people' }),
  manufacturer: z.string().nullable().meta({ description: 'Maker of the device' }),
  model: z.string().nullable().meta({ description: 'Model of the device' }),
  parent_inverter: z.string().nullable().meta({ description: 'Set on solar arrays and batteries only' }),
};
const shownMoments = {
  decommissioned_at: z.iso
    .datetime()
    .nullable()
    .meta({ description: 'When the device stopped; null while it is in use' }),
  created_at: createdAt,
  updated_at: updatedAt,
};

function shown<Type extends z.ZodType, Data extends z.ZodRawShape>(type: Type, data: Data) {
  return z.object({
    object: objectName('asset'),
    id: ownId,
    household: z.string().meta({ description: 'Id of the household' }),
    type,
    ...shownNames,
    ...data,
    ...shownMoments,
  });
}

export const asset = z
  .discriminatedUnion('type', [
    shown(typeOf('inverter'), {
      inverter: typeData.inverter.meta({
        description: 'Its ratings, against which every snapshot is checked',
      }),
    }),
    shown(typeOf('solar'), {
      solar: typeData.solar.meta({ description: 'Its ratings, against which every snapshot is checked' }),
    }),
    shown(typeOf('battery'), {
      battery: typeData.battery.meta({ description: 'Its ratings, against which every snapshot is checked' }),
    }),
    shown(typeOf('wallbox'), {
      wallbox: typeData.wallbox.meta({ description: 'Its ratings, against which every snapshot is checked' }),
    }),
    shown(typeOf('heat_pump'), {
      heat_pump: typeData.heat_pump.meta({
        description: 'Its ratings, against which every snapshot is checked',
      }),
    }),
    shown(
      z.literal(HOUSEHOLD_ASSET_TYPES).meta({
        description:
          '`household_net`: the grid connection; `household_residual`: what no other asset of the household covers',
      }),
      {},
    ),
  ])
  .meta({ id: 'Asset', description: "A device, or one of a household's own two assets" });

export type NewAsset = z.output<typeof newAsset>;
export type ChangedAsset = z.output<typeof changedAsset>;
export type Asset = z.input<typeof asset>;
