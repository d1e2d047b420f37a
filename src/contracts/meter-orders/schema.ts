import { z } from 'zod';
import { wireSchemas } from '../../platform/interface/wire-schemas.ts';
import { SMART_METER_PRODUCTS } from '../../tariffs/plans/schema.ts';

const { objectName, ownId, createdAt, updatedAt } = wireSchemas;

/** How far an order is, as the back office and the partners know it. */
export const INTERNAL_STATUSES = [
  'waiting',
  'ordered',
  'checked',
  'installation_planning',
  'installation_scheduled',
  'installation_waiting',
  'installation_finished',
  'activated',
  'installed',
  'pre_installed',
  'cancelled',
  'intended',
  'blocked',
  'blocked_wim',
] as const;

export type InternalStatus = (typeof INTERNAL_STATUSES)[number];

/** How far an order is, as callers see it; a block is a mark on top. */
export const PUBLIC_STATUSES = [
  'created',
  'placed',
  'check_submitted',
  'check_reviewed',
  'scheduled',
  'installed',
  'activated',
  'cancelled',
] as const;

export type PublicStatus = (typeof PUBLIC_STATUSES)[number];

/** Product `smart-meter-X` comes from provider `X`. */
export const PROVIDERS = SMART_METER_PRODUCTS.map((product) => product.replace(/^smart-meter-/, ''));

const SUBSCRIPTION_CHARACTERS_MAX = 255;

export const newMeterOrder = z.object({
  subscription: wireSchemas
    .text({ max: SUBSCRIPTION_CHARACTERS_MAX })
    .meta({ description: 'Id of the subscription; its plan decides which meter is ordered' }),
});

const instant = (description: string) => z.iso.datetime().nullable().meta({ description });

export const meterOrder = z
  .object({
    object: objectName('meter_order'),
    id: ownId,
    subscription: z.string().meta({ description: 'Id of the subscription' }),
    customer: z.string().meta({ description: 'Id of the customer' }),
    provider: z.enum(PROVIDERS).meta({ description: 'Who delivers and operates the meter' }),
    status: z.enum(PUBLIC_STATUSES).meta({
      description:
        '`created`: ordered; `placed`: handed to the provider; `check_submitted`: the customer sent the details for the check; `check_reviewed`: checked; `scheduled`: the visit has a date; `installed`: mounted; `activated`: delivers readings. Stages may be skipped',
    }),
    appointment_at: instant('When the fitter comes; may change while `scheduled`'),
    installed_at: instant('When it was reported as mounted; null too where that was never said'),
    activated_at: instant('When it was reported as delivering readings'),
    cancelled_at: instant('When it ended before the meter delivered readings'),
    cancelled_reason: z.enum(['pre_existing', 'customer_request']).nullable().meta({
      description:
        '`pre_existing`: a smart meter was there already; `customer_request`: called off, or the contract ended',
    }),
    blocked_at: instant('Held back since; null when it goes on'),
    blocked_reason: z.enum(['check_missing', 'grid_operator_registration']).nullable().meta({
      description:
        '`check_missing`: waits for an approval; `grid_operator_registration`: waits for the grid operator',
    }),
    created_at: createdAt,
  })
  .meta({ id: 'MeterOrder' });

/** Fields of an order that only older versions show. */
export const olderMeterOrderFields = {
  internal_status: z.enum(INTERNAL_STATUSES).meta({ description: 'How far it is, as its provider knows it' }),
  updated_at: updatedAt,
};

export type NewMeterOrder = z.output<typeof newMeterOrder>;
export type MeterOrder = z.input<typeof meterOrder>;
export type FullMeterOrder = MeterOrder & { internal_status: InternalStatus; updated_at: string };
