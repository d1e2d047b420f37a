import type { Database } from '../../platform/database/db.ts';
import { type JobResult, type JobRun, organizationOf } from '../../platform/jobs/jobs.ts';
import type { Mail } from '../../platform/mail.ts';
import { findContact } from './endpoint-queries.ts';
import type { Notice } from './health.ts';

interface NoticeDeps {
  database: Database;
  mail: Mail;
}

/** To the contact of the endpoint. Without one, or when it works again meanwhile, nobody is told. */
export async function tellWebhookContact(
  { database, mail }: NoticeDeps,
  run: Pick<JobRun<{ endpoint: string; notice: Notice }>, 'payload' | 'organization'>,
): Promise<JobResult> {
  const organization = organizationOf(run);
  const { endpoint, notice } = run.payload;
  const found = await database.inOrganization({ organization }, (connection) =>
    findContact(connection, organization, endpoint),
  );
  if (found === undefined || found.contact_email === null || !mail.isOn) return { mails: 0 };
  const isOver = notice === 'failing' ? found.failing_since === null : found.disabled_reason !== notice;
  if (isOver) return { mails: 0 };
  /* The path of an address can hold a secret of the receiver. */
  const host = found.url === null ? endpoint : new URL(found.url).host;
  const isSent = await mail.deliver({
    to: found.contact_email,
    subject: `${SUBJECTS[notice]}: ${host}`,
    text: `Endpoint ${endpoint}${found.description === '' ? '' : ` (${found.description})`} at ${host}\n\n${TEXTS[notice]}\n`,
  });
  return { mails: isSent ? 1 : 0 };
}

const SUBJECTS: Readonly<Record<Notice, string>> = {
  failing: 'Webhooks fail',
  gone: 'Webhooks switched off',
  long_failure: 'Webhooks switched off',
};

const TEXTS: Readonly<Record<Notice, string>> = {
  failing:
    'For a day no request to this endpoint has been answered with a status from 200 to 299.\nWe go on trying. A request that fails five days after the first one, with no success between them, switches it off.',
  gone: 'The endpoint answered 410 (gone), so it was switched off. What waited for it was cancelled.\nIt is kept for 30 days and can be sent again when the endpoint is switched on.',
  long_failure:
    'For five days no request to this endpoint has been answered with a status from 200 to 299, so it was switched off.\nWhat waited for it was cancelled. It is kept for 30 days and can be sent again when the endpoint is switched on.',
};
