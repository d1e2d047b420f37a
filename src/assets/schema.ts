import { z } from 'zod';
import { wireSchemas } from '../platform/interface/wire-schemas.ts';
import { changedTypeData, HOUSEHOLD_ASSET_TYPES, newTypeData, typeData } from './type-data.ts';

const { name, text, instant } = wireSchemas;

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
      type: z.literal('inverter'),
      parent_inverter: parentInverter.nullish(),
      inverter: newTypeData.inverter,
    }),
    z.object({ type: z.literal('solar'), parent_inverter: parentInverter, solar: newTypeData.solar }),
    z.object({
      type: z.literal('battery'),
      parent_inverter: parentInverter.nullish(),
      battery: newTypeData.battery,
    }),
    z.object({
      type: z.literal('wallbox'),
      parent_inverter: parentInverter.nullish(),
      wallbox: newTypeData.wallbox,
    }),
    z.object({
      type: z.literal('heat_pump'),
      parent_inverter: parentInverter.nullish(),
      heat_pump: newTypeData.heat_pump,
    }),
  ]),
);

/** Which type's data counts is known only when the asset is: it is checked after the asset was found. */
function checkedLater(schema: z.ZodType) {
  const { $schema: _, ...described } = z.toJSONSchema(schema, { io: 'input', target: 'draft-2020-12' });
  return z.unknown().optional().meta(described);
}

export const changedAsset = z.object({
  external_id: externalId.optional(),
  display_name: displayName.optional(),
  manufacturer: manufacturer.optional(),
  model: model.optional(),
  parent_inverter: parentInverter.nullish(),
  inverter: checkedLater(changedTypeData.inverter),
  solar: checkedLater(changedTypeData.solar),
  battery: checkedLater(changedTypeData.battery),
  wallbox: checkedLater(changedTypeData.wallbox),
  heat_pump: checkedLater(changedTypeData.heat_pump),
});

export const decommission = z.object({
  decommissioned_at: instant()
    .optional()
    .meta({ description: 'When the device stopped; now where absent, never in the future' }),
});

const shownNames = {
  external_id: z.string().nullable(),
  display_name: z.string().nullable(),
  manufacturer: z.string().nullable(),
  model: z.string().nullable(),
  parent_inverter: z.string().nullable().meta({ description: 'Set on solar arrays and batteries only' }),
};
const shownMoments = {
  decommissioned_at: z.iso.datetime().nullable(),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
};

function shown<Type extends z.ZodType, Data extends z.ZodRawShape>(type: Type, data: Data) {
  return z.object({
    object: z.literal('asset'),
    id: z.string(),
    household: z.string().meta({ description: 'Id of the household' }),
    type,
    ...shownNames,
    ...data,
    ...shownMoments,
  });
}

export const asset = z
  .discriminatedUnion('type', [
    shown(z.literal('inverter'), { inverter: typeData.inverter }),
    shown(z.literal('solar'), { solar: typeData.solar }),
    shown(z.literal('battery'), { battery: typeData.battery }),
    shown(z.literal('wallbox'), { wallbox: typeData.wallbox }),
    shown(z.literal('heat_pump'), { heat_pump: typeData.heat_pump }),
    shown(z.literal(HOUSEHOLD_ASSET_TYPES), {}),
  ])
  .meta({ id: 'Asset', description: "A device, or one of a household's own two assets" });

export type NewAsset = z.output<typeof newAsset>;
export type ChangedAsset = z.output<typeof changedAsset>;
export type Asset = z.input<typeof asset>;
