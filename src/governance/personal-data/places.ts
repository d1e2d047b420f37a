import { type RawBuilder, sql } from 'kysely';
import { NEVER_IN_USE } from '../../telemetry/assets/queries.ts';

/*
 * The places of the database with data about one customer, how they are found, and what becomes of them when the person is
 * erased. The export reads the same places. A test holds the list against the comments of the columns: whoever adds a
 * personal column adds its table here.
 */

export interface Person {
  organization: string;
  customer: string;
}

type Sql = RawBuilder<unknown>;

export type Erasure =
  /** No duty keeps it. */
  | 'deleted'
  /** The finance role alone sees it from then on. */
  | 'restricted'
  /** Ids, states and amounts that other rows point to, and entries of the books. */
  | 'kept'
  /** The row stays, because others point to it, and says nothing of the person any more. */
  | { readonly blanked: Readonly<Record<string, Sql>> };

export interface Place {
  readonly table: string;
  /** The rows of the person, among those of the table under the name `t`. */
  rowsOf(person: Person): Sql;
  readonly onErasure: Erasure;
  /** Secrets and texts that are of no use to the person: not exported. */
  readonly withheld?: readonly string[];
  /** Where it came from, for the export. */
  readonly source: string;
}

const bySignUp = 'the customer, at the sign-up or later';
const byService = 'the service';
const byDevices = 'the devices of the household';
const byMetering = 'the customer, or the metering operator';

const ofCustomer = ({ organization, customer }: Person) =>
  sql`t.organization_id = ${organization} AND t.customer_id = ${customer}`;

const ofAssets = ({ organization, customer }: Person) =>
  sql`t.asset_id IN (SELECT key FROM assets WHERE organization_id = ${organization} AND customer_id = ${customer})`;

const emailOf = ({ organization, customer }: Person) =>
  sql`(SELECT email_lower FROM customers WHERE organization_id = ${organization} AND id = ${customer})`;

/** Also what was begun with the address and never became a customer's. */
const ofRequests = (person: Person) => sql`t.organization_id = ${person.organization}
  AND (t.customer_id = ${person.customer} OR lower(t.email) = ${emailOf(person)})`;

/** Without regard to case and blanks. */
const plain = (text: Sql) => sql`lower(regexp_replace(${text}, '\\s', '', 'g'))`;

const idsOf = (table: string, { organization, customer }: Person) =>
  sql`SELECT id FROM ${sql.table(table)} WHERE organization_id = ${organization} AND customer_id = ${customer}`;

const textsOf = (text: Sql, table: string, { organization, customer }: Person) =>
  sql`SELECT ${plain(text)} FROM ${sql.table(table)} WHERE organization_id = ${organization} AND customer_id = ${customer}`;

const nameOfLead = sql`coalesce(t.details #>> '{customer,company_name}', t.details #>> '{customer,last_name}')`;

/**
 * By the e-mail address and by the contract that it became. People also ask with another address: such a lead has the meter,
 * the account or the street and number of the person, and the person's name, or neither name nor e-mail. The name counts,
 * because others live in the same house, and the next tenant asks with the same meter; the first name of a person, where the
 * lead has one, because relatives do. What became a contract, or has the e-mail address of a customer, is that customer's alone.
 */
const ofLeads = (person: Person) => sql`t.organization_id = ${person.organization}
  AND (lower(t.details #>> '{customer,email}') = ${emailOf(person)}
       OR t.subscription_id IN (${idsOf('subscriptions', person)})
       OR ((${plain(sql`t.details #>> '{meter,number}'`)} IN (
               ${textsOf(sql`number`, 'meters', person)} UNION ALL ${textsOf(sql`number`, 'meter_changes', person)})
            OR ${plain(sql`t.details #>> '{payment_method,sepa_debit,iban}'`)} IN (
               ${textsOf(sql`iban`, 'payment_methods', person)})
            OR ${plain(sql`(t.details #>> '{address,zip}') || (t.details #>> '{address,street}')
                           || (t.details #>> '{address,house_number}')`)} IN (
               ${textsOf(sql`zip || street || house_number`, 'addresses', person)}))
           AND t.subscription_id IS NULL
           AND NOT EXISTS (SELECT FROM customers AS known
                            WHERE known.organization_id = ${person.organization}
                              AND known.email_lower = lower(t.details #>> '{customer,email}'))
           AND CASE WHEN ${nameOfLead} IS NULL THEN t.details #>> '{customer,email}' IS NULL
                    ELSE EXISTS (SELECT FROM customers AS c
                                  WHERE c.organization_id = ${person.organization} AND c.id = ${person.customer}
                                    AND ${plain(nameOfLead)} IN (${plain(sql`c.company_name`)}, ${plain(sql`c.last_name`)})
                                    AND (t.details #>> '{customer,company_name}' IS NOT NULL
                                         OR coalesce(${plain(sql`t.details #>> '{customer,first_name}'`)}
                                                     = ${plain(sql`c.first_name`)}, true)))
               END))`;

/**
 * An answer that is kept to be given again names the customer, or what belongs to him. As an array the ids are found once, and
 * not again for each answer.
 */
const ofAnswers = (person: Person) => sql`t.organization_id = ${person.organization}
  AND (t.customer_id = ${person.customer}
       OR EXISTS (SELECT FROM unnest(ARRAY(SELECT ${person.customer}::text
                                           UNION ALL ${idsOf('subscriptions', person)}
                                           UNION ALL ${idsOf('households', person)}
                                           UNION ALL SELECT t.id FROM leads AS t WHERE ${ofLeads(person)})) AS named (id)
                   WHERE strpos(t.response::text, named.id) > 0))`;

const ofGrants = ({ organization, customer }: Person) => sql`t.organization_id = ${organization}
  AND t.grant_id IN (SELECT id FROM grants WHERE organization_id = ${organization} AND customer_id = ${customer})`;

/** Also what was set aside or waits, where the account is of nobody else. */
const ofMovements = ({ organization, customer }: Person) => sql`t.organization_id = ${organization}
  AND (t.id IN (SELECT bank_entry_id FROM payments WHERE organization_id = ${organization} AND customer_id = ${customer})
       OR (t.state <> 'booked'
           AND t.iban IN (SELECT iban FROM payment_methods WHERE organization_id = ${organization} AND customer_id = ${customer})
           AND NOT EXISTS (SELECT FROM payment_methods AS other
                            WHERE other.organization_id = ${organization} AND other.customer_id <> ${customer}
                              AND other.iban = t.iban)))`;

const ofFiles = ({ organization, customer }: Person) => sql`t.organization_id = ${organization}
  AND t.id IN (SELECT file_id FROM payments WHERE organization_id = ${organization} AND customer_id = ${customer})`;

/**
 * By the events of the contracts. As arrays, so that each is looked up by its index, however many events there are. The index
 * serves the owner of the tables alone: row-level security would keep ->> from it.
 */
const ofReceiversAnswers = (
  person: Person,
) => sql`t.organization_id = ${person.organization} AND t.answer <> ''
  AND t.event_id = ANY (ARRAY(
        SELECT e.id FROM events AS e
         WHERE e.organization_id = ${person.organization}
           AND e.context ->> 'subscription' = ANY (ARRAY(${idsOf('subscriptions', person)}))))`;

const ofCodes = (person: Person) => sql`t.organization_id = ${person.organization}
  AND t.request_id IN (SELECT t.id FROM authorization_requests AS t WHERE ${ofRequests(person)})`;

const customers = (table: string, source: string, onErasure: Erasure): Place => ({
  table,
  rowsOf: ofCustomer,
  onErasure,
  source,
});

const ERASED = sql`'erased'`;
const NOTHING = sql`NULL`;
const NOW = sql`now()`;

/** Rows of devices. They are erased together, by a function of the database. */
export const snapshotPlaces: readonly Place[] = [
  { table: 'asset_snapshots', rowsOf: ofAssets, onErasure: 'deleted', source: byDevices },
  { table: 'asset_quarter_hours', rowsOf: ofAssets, onErasure: 'deleted', source: byDevices },
  { table: 'asset_days', rowsOf: ofAssets, onErasure: 'deleted', source: byDevices },
];

/**
 * Rows that refer to another row stand before it, and what others are made of before those: who uses a link or consents at
 * this moment holds its row, so the session or code that comes of it is there when its turn comes.
 */
export const places: readonly Place[] = [
  ...snapshotPlaces,
  customers('load_forecasts', 'who buys the electricity', 'deleted'),
  customers('replaced_usage', byMetering, 'deleted'),
  customers('usage_days', byMetering, 'deleted'),
  customers('usage_quarter_hours', byMetering, 'deleted'),
  customers('settled_usage_months', byService, 'deleted'),
  customers('meter_readings', byMetering, 'deleted'),
  customers('billing_terms', byService, 'deleted'),
  customers('billing_refusals', byService, 'deleted'),
  { ...customers('magic_links', byService, 'deleted'), withheld: ['hash'] },
  { ...customers('portal_sessions', byService, 'deleted'), withheld: ['hash'] },
  {
    table: 'idempotency_keys',
    rowsOf: ofAnswers,
    onErasure: 'deleted',
    withheld: ['key', 'body_hash'],
    source: byService,
  },
  {
    table: 'one_time_codes',
    rowsOf: ofCodes,
    onErasure: 'deleted',
    withheld: ['address_hash', 'code_hash', 'network_hash'],
    source: byService,
  },
  {
    table: 'authorization_requests',
    rowsOf: ofRequests,
    onErasure: 'deleted',
    withheld: ['browser_hash', 'state', 'code_challenge'],
    source: bySignUp,
  },
  { ...customers('authorization_codes', byService, 'deleted'), withheld: ['hash', 'code_challenge'] },
  {
    table: 'refresh_tokens',
    rowsOf: ofGrants,
    onErasure: 'deleted',
    withheld: ['hash'],
    source: byService,
  },
  {
    table: 'delivery_attempts',
    rowsOf: ofReceiversAnswers,
    onErasure: { blanked: { answer: sql`''` } },
    source: 'who receives events',
  },
  customers('grants', 'the customer, by a consent', {
    blanked: {
      revoked_at: sql`coalesce(revoked_at, now())`,
      revoked_reason: sql`coalesce(revoked_reason, 'erased')`,
    },
  }),
  customers('auth_clients', 'the back office', {
    blanked: { disabled_at: sql`coalesce(disabled_at, now())`, display_name: ERASED },
  }),
  { table: 'leads', rowsOf: ofLeads, onErasure: 'deleted', source: bySignUp },
  customers('payments', 'the bank, or the back office', 'restricted'),
  { table: 'bank_entries', rowsOf: ofMovements, onErasure: 'restricted', source: 'the bank' },
  {
    table: 'payment_files',
    rowsOf: ofFiles,
    onErasure: 'restricted',
    /* It concerns many people; what it says about this one stands in payments and payment_methods. */
    withheld: ['content', 'sha256'],
    source: byService,
  },
  customers('dunning_steps', byService, 'kept'),
  customers('dunning_holds', 'the back office', 'kept'),
  customers('invoice_files', byService, 'restricted'),
  customers('invoice_lines', byService, 'restricted'),
  customers('invoices', byService, 'restricted'),
  customers('grid_fee_reductions', bySignUp, 'kept'),
  customers('meter_orders', bySignUp, 'kept'),
  customers('assets', 'the customer, or the maker of the device', {
    blanked: {
      display_name: NOTHING,
      external_id: NOTHING,
      decommissioned_at: sql`${NEVER_IN_USE}::timestamptz`,
    },
  }),
  customers('subscriptions', bySignUp, { blanked: { metadata: NOTHING, updated_at: NOW } }),
  customers('meter_changes', byMetering, {
    blanked: {
      number: sql`CASE WHEN number IS NOT NULL THEN 'ERASED' || upper(substr(meter_id, 5)) || '-' || register END`,
    },
  }),
  customers('meters', bySignUp, {
    blanked: { number: sql`'ERASED' || upper(substr(id, 5))`, melo: NOTHING, malo: NOTHING },
  }),
  customers('payment_methods', bySignUp, {
    blanked: {
      iban: sql`'DE00000000000000000000'`,
      account_holder: ERASED,
      mandate_reference: sql`'ERASED' || substr(id, 4)`,
    },
  }),
  customers('households', 'the back office', { blanked: { display_name: NOTHING, updated_at: NOW } }),
  customers('addresses', bySignUp, {
    blanked: { street: ERASED, house_number: sql`'0'`, zip: sql`'00000'`, city: ERASED },
  }),
  {
    table: 'customers',
    rowsOf: ({ organization, customer }) => sql`t.organization_id = ${organization} AND t.id = ${customer}`,
    onErasure: {
      blanked: {
        first_name: ERASED,
        last_name: ERASED,
        company_name: sql`CASE WHEN type = 'company' THEN 'erased' END`,
        email: sql`id || '@erased.invalid'`,
        vat_id: NOTHING,
        erased_at: sql`coalesce(erased_at, now())`,
        restricted_at: NOTHING,
        updated_at: NOW,
      },
    },
    source: bySignUp,
  },
];

/** Tables with personal columns of other people than customers. */
export const PLACES_OF_OTHERS: Readonly<Record<string, string>> = {
  console_users: 'who signs in to the console of an organization',
  issuers: 'who manages the company that bills',
  webhook_endpoints: 'who looks after a receiver of events',
};
