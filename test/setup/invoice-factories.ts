import { createHash } from 'node:crypto';
import type { Insertable } from 'kysely';
import { newPaymentId } from '../../src/billing/invoices/schema.ts';
import { insertPayments } from '../../src/billing/payments/queries.ts';
import type { Tables } from '../../src/platform/database/tables.ts';
import type { Deps } from '../../src/platform/deps.ts';
import { newId } from '../../src/platform/ids.ts';
import { berlinMidnight } from '../../src/platform/time/berlin-calendar.ts';

type InvoiceInput = Partial<Omit<Insertable<Tables['invoices']>, 'organization_id'>> &
  Pick<Insertable<Tables['invoices']>, 'customer_id' | 'subscription_id'>;

/** Counted from January 2026. */
function firstOfMonth(months: number): string {
  return new Date(Date.UTC(2026, months, 1)).toISOString().slice(0, 10);
}

/**
 * Rows straight into the tables, as an issued document leaves them: a usage invoice over 119 EUR where nothing else is
 * given. `document`: its PDF, which is there soon after; null where it is not made yet.
 */
export async function createInvoice(
  { database, clock }: Pick<Deps, 'database' | 'clock'>,
  organization: string,
  { document = '%PDF-1.7 tests', ...input }: InvoiceInput & { document?: string | null },
): Promise<{ id: string; invoice_number: string }> {
  const now = clock.now().toISOString();
  const { customer_id, subscription_id, type = 'usage' } = input;
  return await database.inOrganization({ organization }, async (connection) => {
    const { last_number } = await connection
      .insertInto('invoice_ledgers')
      .values({ organization_id: organization, last_number: 1 })
      .onConflict((on) =>
        on
          .column('organization_id')
          .doUpdateSet((row) => ({ last_number: row('invoice_ledgers.last_number', '+', 1) })),
      )
      .returning('last_number')
      .executeTakeFirstOrThrow();
    const { number } = await connection
      .selectFrom('subscriptions')
      .select('number')
      .where('organization_id', '=', organization)
      .where('id', '=', subscription_id)
      .executeTakeFirstOrThrow();
    const { count } = await connection
      .selectFrom('invoices')
      .select((row) => row.fn.countAll<number>().as('count'))
      .where('organization_id', '=', organization)
      .where('subscription_id', '=', subscription_id)
      .executeTakeFirstOrThrow();
    const running = Number(count) + 1;
    const total = String(input.total ?? '119');
    const [first, next] = [firstOfMonth(running - 1), firstOfMonth(running)];
    const status = input.status ?? 'open';
    const isPaid = status === 'paid' && Number(total) !== 0;
    const invoice = {
      id: newId('inv'),
      type,
      running_number: running,
      /* Contracts that came from elsewhere have no number. */
      invoice_number: `${number ?? subscription_id.slice(4, 12).toUpperCase()}-${String(running).padStart(3, '0')}`,
      ledger_number: last_number,
      month: Number(first.slice(5, 7)),
      year: Number(first.slice(0, 4)),
      period_start: berlinMidnight(first),
      period_end: berlinMidnight(next),
      period_number: running,
      is_estimated: false,
      is_final: false,
      usage_kwh: type === 'usage' ? '447.9' : null,
      net: total,
      tax: '0',
      deducted: '0',
      taxes: '[]',
      void_reason: type === 'void' ? 'test' : null,
      due_on: '2027-01-31',
      created_at: now,
      issued_at: now,
      paid_at: status === 'paid' ? now : null,
      facts: '{}',
      retain_until: '2040-12-31',
      ...input,
      total,
      /* The document that reverses it makes it voided. */
      status: status === 'voided' ? ('open' as const) : status,
    };
    await connection
      .insertInto('invoices')
      .values({ ...invoice, organization_id: organization })
      .execute();
    await connection
      .insertInto('invoice_lines')
      .values({
        ...{
          organization_id: organization,
          customer_id,
          invoice_id: invoice.id,
          position: 1,
          kind: 'energy',
        },
        ...{ period_from: first, period_until: next, net: invoice.net, vat_rate: '0', figures: '[]' },
      })
      .execute();
    if (invoice.voids !== undefined) {
      await connection
        .updateTable('invoices')
        .set({ status: 'voided' })
        .where('organization_id', '=', organization)
        .where('id', '=', invoice.voids)
        .execute();
    }
    if (isPaid) {
      await insertPayments(connection, organization, [
        {
          ...{ id: newPaymentId(), customer_id, invoice_id: invoice.id, way: 'entered', status: 'settled' },
          ...{ direction: total.startsWith('-') ? 'out' : 'in', amount: total.replace('-', '') },
          ...{ booked_on: now.slice(0, 10), created_at: now, updated_at: now },
        },
      ]);
    }
    if (document !== null) {
      const content = Buffer.from(document);
      await connection
        .insertInto('invoice_files')
        .values({
          organization_id: organization,
          customer_id,
          invoice_id: invoice.id,
          kind: 'pdf',
          content,
          sha256: createHash('sha256').update(content).digest(),
          made_at: now,
        })
        .execute();
    }
    return { id: invoice.id, invoice_number: invoice.invoice_number };
  });
}
