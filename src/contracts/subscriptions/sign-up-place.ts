import { findCustomerByEmail } from '../../identity/customers/queries.ts';
import { CUSTOMER_ERASED, DUPLICATE_CUSTOMER_EMAIL, holdCustomer } from '../../identity/customers/service.ts';
import { findHouseholdByMeter } from '../../identity/households/queries.ts';
import { holdHousehold, MISSING_HOUSEHOLD } from '../../identity/households/service.ts';
import type { Connection } from '../../platform/database/db.ts';
import type { Findings } from '../../platform/errors.ts';
import { ruleCode } from '../../platform/rule-codes.ts';
import { findMeterOfHousehold, listMeterStates } from '../meters/queries.ts';
import { meterNumberOf } from '../meters/service.ts';
import type { NewSubscription } from './schema.ts';

export const INVALID_HOUSEHOLD_METER = ruleCode(
  'invalid_household_meter',
  'The meter is not the meter of the household',
);
export const INVALID_HOUSEHOLD_CUSTOMER = ruleCode(
  'invalid_household_customer',
  'The household is not the household of this customer',
);

/** Whose contract it becomes and in which household; null where something new is created. */
export interface SignUpPlace {
  customer: string | null;
  /** Of a stored customer, for rules that look at it. */
  stored: { type: string; vat_id: string | null } | null;
  household: string | null;
  /** The household's meter. */
  meter: { id: string; malo: string | null } | null;
}

type SentPlace = Pick<NewSubscription, 'customer' | 'household' | 'meter'>;
type KnownCustomer = { id: string; type: string; vat_id: string | null; erased_at: string | null };

const NOWHERE: SignUpPlace = { customer: null, stored: null, household: null, meter: null };

/**
 * Which customer and household a sign-up joins. Rows that are found stay locked, the customer before the household: two
 * sign-ups for one of them take turns, and the second sees what the first has made.
 */
export async function findPlace(
  connection: Connection,
  organization: string,
  sent: SentPlace,
  planType: string,
  findings: Findings,
): Promise<SignUpPlace> {
  const customer = await knownCustomer(connection, organization, sent, findings);
  const byId = typeof sent.customer === 'string';
  if (customer !== undefined && customer.erased_at !== null) {
    findings.conflict('custom', 'customer', CUSTOMER_ERASED);
  }
  /* A customer named by id is judged as stored, whether or not the household is the right one. */
  const nowhere = byId && customer !== undefined ? { ...NOWHERE, stored: customer } : NOWHERE;
  if (sent.household !== undefined) {
    const known = await holdHousehold(connection, organization, sent.household);
    if (known === undefined) {
      missingHousehold(findings);
      return nowhere;
    }
    if (customer?.id === known.customer_id) {
      return joined(connection, organization, customer, known.id, sent, findings);
    }
    /* A customer's id that nobody has is told already. */
    if (customer !== undefined || !byId) {
      const message = 'The household belongs to another customer';
      findings.badRequest(INVALID_HOUSEHOLD_CUSTOMER, 'household', message);
    }
    return nowhere;
  }
  if (customer === undefined) return NOWHERE;
  if (!byId) {
    const message = 'A customer with this e-mail address exists';
    findings.conflict(DUPLICATE_CUSTOMER_EMAIL, 'customer.email', message);
    return NOWHERE;
  }
  return withSameMeter(connection, organization, customer, sent, planType, findings);
}

function missingHousehold(findings: Findings): void {
  findings.badRequest(MISSING_HOUSEHOLD, 'household', 'The household is missing or unknown');
}

async function knownCustomer(
  connection: Connection,
  organization: string,
  { customer }: SentPlace,
  findings: Findings,
): Promise<KnownCustomer | undefined> {
  if (typeof customer === 'string') {
    const row = await holdCustomer(connection, organization, customer);
    if (row === undefined) findings.badRequest('custom', 'customer', 'The customer is unknown');
    return row;
  }
  const found = await findCustomerByEmail(connection, organization, String(customer.email));
  return found === undefined ? undefined : holdCustomer(connection, organization, found.id);
}

/** The customer's household that has the meter; without one supply makes a new household, and feed-in has no place. */
async function withSameMeter(
  connection: Connection,
  organization: string,
  customer: KnownCustomer,
  sent: SentPlace,
  planType: string,
  findings: Findings,
): Promise<SignUpPlace> {
  const found = await findHouseholdByMeter(connection, organization, customer.id, meterNumberOf(sent.meter));
  if (found !== undefined) {
    await holdHousehold(connection, organization, found.id);
    return joined(connection, organization, customer, found.id, sent, findings);
  }
  if (planType === 'feed_in') missingHousehold(findings);
  return { ...NOWHERE, customer: customer.id, stored: customer };
}

async function joined(
  connection: Connection,
  organization: string,
  customer: KnownCustomer,
  household: string,
  sent: SentPlace,
  findings: Findings,
): Promise<SignUpPlace> {
  const meter = await findMeterOfHousehold(connection, organization, household);
  if (meter !== undefined && !(await hasNumber(connection, organization, meter.id, sent))) {
    findings.badRequest(INVALID_HOUSEHOLD_METER, 'meter.number', "The meter is not the household's meter");
  }
  return { customer: customer.id, stored: customer, household, meter: meter ?? null };
}

/** An exchange is never entered before its day: the newest number is the one of today. */
async function hasNumber(connection: Connection, organization: string, meter: string, sent: SentPlace) {
  const states = await listMeterStates(connection, organization, meter);
  return states.at(-1)?.number === meterNumberOf(sent.meter);
}
