import { z } from 'zod';
import { zip } from '../../identity/addresses/schema.ts';
import { wireSchemas } from '../../platform/interface/wire-schemas.ts';
import { YEARLY_KWH } from '../quotes/rows.ts';

const { number, wholeNumber, objectName } = wireSchemas;

const share = () => number({ min: 0, max: 1 });

/* A misspelt size of a device would be priced as its default: the objects of the devices are strict. */
const assets = z.object({
  ev: z
    .strictObject({
      distance: number({ min: 0, max: 200_000 }).meta({ description: 'km a year' }),
      home_charging_share: share().default(0.67).meta({ description: 'Share of the energy charged at home' }),
    })
    .optional()
    .meta({ description: 'An electric car' }),
  heatpump: z
    .strictObject({ usage: number({ min: 0, max: 50_000 }).meta({ description: 'kWh a year' }) })
    .optional()
    .meta({ description: 'A heat pump' }),
  pv: z
    .strictObject({
      self_sufficiency: share().meta({ description: 'Share of the usage that the plant covers' }),
      capacity: number({ min: 0, max: 100 }).default(8).meta({ description: 'Peak power in kWp' }),
    })
    .optional()
    .meta({ description: 'A solar plant on the roof' }),
  battery: z
    .strictObject({
      capacity: number({ min: 0, max: 100 }).meta({ description: 'Usable capacity in kWh' }),
      power: number({ min: 0, max: 100 }).meta({ description: 'Rated power in kW' }),
    })
    .optional()
    .meta({ description: 'A battery storage' }),
});

export const savingsRequest = z.object({
  zip_code: zip.meta({ description: 'Where the electricity is delivered' }),
  household: z
    .object({
      usage: wholeNumber(YEARLY_KWH).meta({
        description: 'kWh a year without the assets',
      }),
    })
    .meta({ description: 'What the household uses' }),
  assets: assets
    .default({})
    .meta({ description: 'What the household has: an asset exists where its object does' }),
  current_tariff: z
    .object({
      base_fee: number({ min: 0, max: 5_000 }).meta({
        description: 'EUR a year with VAT, without the base fees of grid and metering',
      }),
      var_fee: number({ min: 0, max: 2 }).meta({ description: 'EUR per kWh with VAT, all of it' }),
    })
    .optional()
    .meta({ description: 'What the household pays now; where absent, the mean of the market' }),
});

const euros = (description: string) =>
  z.number().meta({ description: `${description}, EUR a year with VAT` });

export const SUBGROUPS = ['base', 'variable', '14a_module_1', '14a_module_3'] as const;

export const savings = z
  .object({
    object: objectName('savings'),
    savings: euros('Sum of the components; `cost.before` less `cost.after`'),
    resolution: z.literal('year').meta({ description: 'The period that every amount covers' }),
    cost: z
      .object({
        before: euros('With the current tariff, or the mean of the market'),
        after: euros('With the plan'),
      })
      .meta({ description: 'What a year costs' }),
    usage: z
      .object({
        consumption: z.number().meta({ description: 'kWh a year that were priced, whole' }),
      })
      .meta({ description: 'The usage that was priced, the assets included' }),
    optimization_rate: z.number().meta({
      description: 'Share of the energy price that this mix of assets saves by shifting load, 4 decimals',
    }),
    grid_fee_reductions: z
      .object({
        '14a_module_1': z.boolean().meta({ description: 'A device can be controlled and the plan sells it' }),
        '14a_module_3': z
          .boolean()
          .meta({ description: 'Beside module 1: the plan sells it and the grid operator has a schedule' }),
      })
      .meta({ description: 'Modules of §14a EnWG that the savings count on' }),
    components: z
      .array(
        z.object({
          group: z
            .enum(['tariff', 'grid_fee_reductions', 'optimization'])
            .meta({ description: 'Where it is saved' }),
          savings: euros('Sum of the lines'),
          subcomponents: z
            .array(
              z.object({
                subgroup: z.enum(SUBGROUPS).meta({ description: 'What is saved' }),
                name: z.string().meta({ description: 'To be shown' }),
                savings: euros('0 where not earned; negative where it costs more'),
              }),
            )
            .meta({ description: 'The lines of the group' }),
        }),
      )
      .meta({ description: 'Always these three, each against what the ones before it left' }),
  })
  .meta({ id: 'Savings' });

export type SavingsRequest = z.output<typeof savingsRequest>;
export type Savings = z.input<typeof savings>;
