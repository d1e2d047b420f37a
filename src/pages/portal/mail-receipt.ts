import type { z } from 'zod';
import { findSubscription, type SubscriptionRow } from '../../contracts/subscriptions/queries.ts';
import { letterheadOf } from '../../identity/brands/service.ts';
import { findCustomer } from '../../identity/customers/queries.ts';
import type { Deps } from '../../platform/deps.ts';
import { momentText } from '../../platform/http/pages/chart.ts';
import { type JobResult, type JobRun, organizationOf } from '../../platform/jobs/jobs.ts';
import type { mailReceiptJob } from './jobs.ts';
import { dayText, isNeverSupplied, lastDayBefore } from './pages.ts';
import { type Texts, textsIn } from './texts.ts';

/** The receipt of a declaration, by mail (sections 312k and 356a BGB). Where nobody knows whether it left, it is sent again. */
export async function mailReceipt(
  { database, mail }: Pick<Deps, 'database' | 'mail'>,
  run: Pick<JobRun<z.output<typeof mailReceiptJob.payload>>, 'payload' | 'organization'>,
): Promise<JobResult> {
  const organization = organizationOf(run);
  const { subscription, language, ...declared } = run.payload;
  const t = textsIn[language];
  const [contract, customer] = await database.inOrganization({ organization }, async (connection) => {
    const row = await findSubscription(connection, organization, undefined, subscription);
    return [row, row && (await findCustomer(connection, organization, row.customer_id))];
  });
  /* The address of an erased person is made up. */
  if (contract === undefined || customer?.erased_at !== null || !customer.email || !mail.isOn)
    return { mails: 0 };
  const lines = receiptLines(t, { ...contract, ...declared }).map(([name, value]) => `${name}: ${value}`);
  const isSent = await mail.deliver({
    to: customer.email,
    subject: t.receiptTitle,
    text: `${t.receiptHint}\n\n${lines.join('\n')}\n`,
    letterhead: letterheadOf({ database }, organization),
  });
  return { mails: isSent ? 1 : 0 };
}

export function receiptLines(t: Texts, row: SubscriptionRow): [string, string][] {
  const { number, termination_reason, terminated_at, end_at } = row;
  const isSupplied = end_at !== null && !isNeverSupplied(row);
  return [
    [t.number, number ?? t.unknown],
    [t.declaration, termination_reason === null ? t.unknown : t.declarations[termination_reason]],
    [t.receivedAt, momentText(terminated_at, t.lang) ?? t.unknown],
    [t.lastDay, isSupplied ? dayText(t, lastDayBefore(end_at)) : t.neverSupplied],
  ];
}
