import { writeFile } from 'node:fs/promises';
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Format } from '../../../billing/invoices/e-invoice/bill.ts';
import { isRouteId } from '../../../billing/invoices/e-invoice/route-id.ts';
import { xRechnungFile, zugferdFile } from '../../../billing/invoices/e-invoice/service.ts';
import { acting, type ChangeOptions, withOne } from '../../of-organization.ts';
import { staffAct } from '../../session.ts';

interface EInvoiceOptions extends ChangeOptions {
  format: Format;
  out: string;
  buyerReference?: string;
  routeId?: string;
}

const REFERENCE_CHARACTERS_MAX = 100;

export function eInvoiceCommand(): Command {
  return acting('e-invoice', '<invoice>', 'inv_…')
    .description('the e-invoice of a document of a company as a file')
    .addOption(
      new Option('--format <format>', 'zugferd: the PDF with it inside; xrechnung: the XML alone')
        .choices(['zugferd', 'xrechnung'] satisfies Format[])
        .makeOptionMandatory(),
    )
    .requiredOption('--out <file>', 'a new file')
    .option(
      '--buyer-reference <text>',
      'XRechnung: what the buyer wants to read; else the contract',
      reference,
    )
    .option('--route-id <id>', 'XRechnung: Leitweg-ID of a public buyer', routeId)
    .action(async (id: string, options: EInvoiceOptions) => {
      const { format, out, buyerReference, routeId: route } = options;
      await withOne(`invoice ${id}`, options, async (session, organization) => {
        const file =
          format === 'zugferd'
            ? await zugferdFile(session, organization, id)
            : await xRechnungFile(
                session,
                organization,
                id,
                { buyerReference, routeId: route },
                staffAct(session, options, 'invoices e-invoice'),
              );
        /* It names a customer: for the eyes of whoever wrote it. */
        await writeFile(out, file.content, { flag: 'wx', mode: 0o600 });
        return { invoice: id, format, file: out, bytes: file.content.length, made_at: file.madeAt };
      });
    });
}

function reference(text: string): string {
  if (/^[^\p{Cc}\p{Cs}]*$/u.test(text) && text.trim() !== '' && text.length <= REFERENCE_CHARACTERS_MAX)
    return text;
  throw new InvalidArgumentError(`One line of at most ${REFERENCE_CHARACTERS_MAX} characters.`);
}

function routeId(text: string): string {
  if (isRouteId(text)) return text;
  throw new InvalidArgumentError(
    'Its check digits are wrong, or it is no Leitweg-ID (04011000-1234512345-06).',
  );
}
