import { z } from 'zod';
import { zip } from '../../identity/addresses/schema.ts';
import { wireSchemas } from '../../platform/interface/wire-schemas.ts';
import { METER_TYPES } from '../reference-data/codes.ts';
import { SUBGROUPS, YEARLY_KWH } from './rows.ts';

const { number, numberParameter, flagParameter, nullableParameter, objectName } = wireSchemas;

const zipCode = zip.meta({ description: 'Place of supply' });
const IS_TAX_EXEMPT =
  'Feed-in plans: the customer is a small business (§19 UStG) and gets credits without VAT; no effect on others';

const moduleFlag = (description: string) => z.boolean().default(false).meta({ description });

export const gridFeeReductions = z
  .object({
    '14a_module_1': moduleFlag('Flat yearly credit for controllable devices'),
    '14a_module_2': moduleFlag('Reduced price per kWh at a metering point of its own; not with module 1'),
    '14a_module_3': moduleFlag('Price per kWh by time of day, here as its mean; needs module 1'),
  })
  .meta({ description: 'Reductions of §14a EnWG; of consumption plans only, whatever it holds' });

export const newQuote = z.object({
  zip_code: zipCode,
  usage: z
    .object({
      consumption: number(YEARLY_KWH).meta({ description: 'kWh per year; feed-in plans: fed in' }),
    })
    .meta({ description: 'What would be used or fed in' }),
  optimization_rate: number({ min: 0, max: 1 }).optional().meta({
    description:
      'Share of the energy price that shifting of load saves. Where absent that of the plan counts; above 0 a smart meter is priced, else an analog one. No effect on feed-in plans',
  }),
  grid_fee_reductions: gridFeeReductions.optional(),
  is_tax_exempt: z.boolean().default(false).meta({ description: IS_TAX_EXEMPT }),
});

export const quoteQuery = z.object({
  zip_code: zipCode,
  usage: numberParameter(YEARLY_KWH).describe('kWh per year; feed-in plans: fed in'),
  meter_type: nullableParameter(
    z.enum(METER_TYPES).default('analog').meta({
      description: '`smart`: the discount of the plan for shifting load applies',
    }),
  ),
  '14a_module_1': nullableParameter(
    flagParameter().describe('Flat yearly credit for controllable devices (§14a EnWG)'),
  ),
  '14a_module_2': nullableParameter(
    flagParameter().describe(
      'Reduced price per kWh at a metering point of its own (§14a EnWG); not with module 1',
    ),
  ),
  is_tax_exempt: nullableParameter(flagParameter().describe(IS_TAX_EXEMPT)),
});

const discount = z
  .object({
    name: z.string().meta({ description: 'As it is shown to customers' }),
    amount_off: z.number().meta({ description: 'EUR; never more than `regular_amount`' }),
    duration: z
      .enum(['once', 'recurring'])
      .meta({ description: '`once`: of one month; `recurring`: of `duration_in_months` months' }),
    duration_in_months: z.number().nullable().meta({ description: 'Null for `once`' }),
    regular_amount: z.number().meta({ description: 'EUR without the discount' }),
  })
  .meta({ description: 'Absent where the plan has none; components are shown without it' });

export const subcomponent = z.object({
  subgroup: z.enum(SUBGROUPS).meta({ description: 'What the row pays for' }),
  name: z.string().meta({ description: 'As it is shown to customers' }),
  amount: z.number().meta({ description: '6 decimals; `base`: EUR per month, `variable`: EUR per kWh' }),
});

export const component = z.object({
  group: z
    .enum(['base', 'variable'])
    .meta({ description: '`base`: for each month; `variable`: for each kWh' }),
  amount: z.number().meta({ description: 'EUR: `quantity` times `unit_amount`' }),
  quantity: z.number().meta({ description: '1 month, or a twelfth of the yearly kWh with 4 decimals' }),
  quantity_unit: z.enum(['month', 'kWh']).meta({ description: 'Unit of `quantity`' }),
  unit_amount: z.number().meta({ description: 'Sum of the subcomponents' }),
  subcomponents: z
    .array(subcomponent)
    .meta({ description: 'The rows, whose amounts add up to `unit_amount`' }),
});

export const quote = z
  .object({
    object: objectName('quote'),
    amount: z.number().meta({
      description: 'EUR per month with VAT; feed-in plans: what the customer receives, less the base fee',
    }),
    currency: z.literal('EUR').meta({ description: 'Currency of all amounts, ISO 4217' }),
    discount: discount.optional(),
    resolution: z.literal('month').meta({ description: 'The period that every amount covers' }),
    components: z.array(component).meta({
      description: '`base`, then `variable`; feed-in plans without a base fee have no `base`',
    }),
    quoted_at: z.iso.datetime().meta({ description: 'Its day in Germany selects all reference data' }),
  })
  .meta({ id: 'Quote' });

export type NewQuote = z.output<typeof newQuote>;
export type QuoteQuery = z.output<typeof quoteQuery>;
export type Quote = z.input<typeof quote>;
