import { z } from 'zod';
import { newId } from '../../platform/ids.ts';
import { wireSchemas } from '../../platform/interface/wire-schemas.ts';

export const newReductionId = () => newId('gfr');

const { text, objectName, ownId, createdAt, updatedAt } = wireSchemas;

/** The modules of section 14a EnWG, under which operators of controllable devices pay less for the grid. */
export const REDUCTION_TYPES = ['enwg-14a-module-1', 'enwg-14a-module-2', 'enwg-14a-module-3'] as const;
export type ReductionType = (typeof REDUCTION_TYPES)[number];
export const [MODULE_1, MODULE_2, MODULE_3] = REDUCTION_TYPES;

/** Module 2 is taken instead of 1, and 3 only with 1 (BNetzA BK8-22/010-A). */
export const EXCLUDED_BY: Readonly<Record<ReductionType, readonly ReductionType[]>> = {
  [MODULE_1]: [MODULE_2],
  [MODULE_2]: [MODULE_1, MODULE_3],
  [MODULE_3]: [MODULE_2],
};

export const REDUCTION_STATUSES = ['intended', 'ordered', 'activated', 'rejected', 'ended'] as const;
export type ReductionStatus = (typeof REDUCTION_STATUSES)[number];

const ID_CHARACTERS_MAX = 255;

const type = z.enum(REDUCTION_TYPES).meta({
  description:
    'Module of section 14a EnWG: 1 a credit by the year, 2 a lower working price for a device with a meter of its own, ' +
    '3 prices by the clock',
});

export const newGridFeeReduction = z.object({
  subscription: text({ max: ID_CHARACTERS_MAX }).meta({ description: 'Id of the subscription' }),
  type,
});

export const gridFeeReduction = z
  .object({
    object: objectName('grid_fee_reduction'),
    id: ownId,
    customer: z.string().meta({ description: 'Id of the customer' }),
    subscription: z.string().meta({ description: 'Id of the subscription' }),
    type,
    status: z.enum(REDUCTION_STATUSES).meta({
      description:
        '`intended` until the subscription is confirmed, `ordered` until the grid operator answers, `activated` or ' +
        '`rejected` by its answer, `ended` when it stopped',
    }),
    valid_from: z.iso
      .datetime()
      .nullable()
      .meta({ description: 'In force from this instant; null until the grid operator has accepted' }),
    valid_until: z.iso
      .datetime()
      .nullable()
      .meta({ description: 'No longer in force from this instant; null until it ended' }),
    created_at: createdAt,
    updated_at: updatedAt,
  })
  .meta({ id: 'GridFeeReduction' });

export type NewGridFeeReduction = z.output<typeof newGridFeeReduction>;
export type GridFeeReduction = z.input<typeof gridFeeReduction>;
