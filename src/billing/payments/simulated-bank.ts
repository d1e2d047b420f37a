import { createHash } from 'node:crypto';
import { element, nested, textElement, type XmlPart } from '../../platform/xml.ts';
import { bankFiles } from './bank-files.ts';
import type { PaymentProvider } from './provider.ts';
import { euroElement, messageOf } from './sepa/parts.ts';
import { SIMULATED_MARK } from './statements/camt.ts';
import { readStatement } from './statements/read.ts';
import { ElementStream, type StatementElement, textAt } from './statements/xml-elements.ts';
import { addTargetDays } from './target-days.ts';

/*
 * A bank that is none, to see without one what becomes of bills: it reads a payment file as a bank does and answers with
 * the report that a bank gives, camt.054. Some debits come back. No money moves, and everything that it says is marked, so
 * that nobody takes it for a bank's: reports with this mark are refused where real ones are read.
 */

const FORMAT = 'camt.054.001.08';
const FILES = /^urn:iso:std:iso:20022:tech:xsd:pain\.00(?:1\.001\.09|8\.001\.08)$/;
/** One debit of so many comes back. */
const RETURNED_OF = 5;
const REASONS = ['AM04', 'MS03', 'MD06'] as const;
const RETURNED_AFTER_TARGET_DAYS = 2;

/** `environment`: APP_ENV. */
export function simulatedBank(environment: string): PaymentProvider {
  if (environment === 'production') {
    throw new Error('The simulated bank invents payments: it works in a local environment only (APP_ENV)');
  }
  return {
    ...bankFiles,
    name: 'simulated_bank',
    results: async (file, account) =>
      await readStatement(once(await simulatedReport(file)), { ...account, acceptsSimulated: true }),
  };
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

interface SimulatedPayment {
  readonly endToEndId: string;
  readonly amount: string;
  readonly isDebit: boolean;
}

/** What such a bank would report about a payment file, days after it. */
export async function simulatedReport(file: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const { messageId, on, iban, payments } = await readPaymentFile(file);
  const entries = payments.flatMap((payment) => entriesOf(payment, on));
  return messageOf(
    FORMAT,
    element(
      'BkToCstmrDbtCdtNtfctn',
      element(
        'GrpHdr',
        textElement('MsgId', `${SIMULATED_MARK}-${messageId}`),
        textElement('CreDtTm', `${on}T20:00:00Z`),
      ),
      element(
        'Ntfctn',
        textElement('Id', `${SIMULATED_MARK}-${messageId}`),
        nested('Acct/Id/IBAN', iban),
        ...entries,
        textElement('AddtlNtfctnInf', 'Invented by the simulated bank: no money moved'),
      ),
    ),
  );
}

function entriesOf(payment: SimulatedPayment, on: string): XmlPart[] {
  const booked = entry(payment, { day: on, side: payment.isDebit ? 'CRDT' : 'DBIT', reason: null });
  const reason = payment.isDebit ? returnReasonOf(payment.endToEndId) : null;
  if (reason === null) return [booked];
  const day = addTargetDays(on, RETURNED_AFTER_TARGET_DAYS);
  return [booked, entry(payment, { day, side: 'DBIT', reason })];
}

/** The same for the same payment each time, so that a report that is made again says nothing else. */
export function returnReasonOf(endToEndId: string): string | null {
  const [chance = 0, choice = 0] = createHash('sha256').update(endToEndId).digest();
  return chance % RETURNED_OF === 0 ? (REASONS[choice % REASONS.length] ?? null) : null;
}

function entry(
  { endToEndId, amount }: SimulatedPayment,
  { day, side, reason }: { day: string; side: 'CRDT' | 'DBIT'; reason: string | null },
): XmlPart {
  const reference = `${SIMULATED_MARK}-${endToEndId}-${reason === null ? 'B' : 'R'}`;
  return element(
    'Ntry',
    euroElement('Amt', amount),
    textElement('CdtDbtInd', side),
    nested('Sts/Cd', 'BOOK'),
    nested('BookgDt/Dt', day),
    textElement('AcctSvcrRef', reference),
    element(
      'NtryDtls',
      element(
        'TxDtls',
        nested('Refs/EndToEndId', endToEndId),
        euroElement('Amt', amount),
        textElement('CdtDbtInd', side),
        reason === null ? undefined : nested('RtrInf/Rsn/Cd', reason),
      ),
    ),
  );
}

async function readPaymentFile(file: AsyncIterable<Uint8Array>) {
  const payments: SimulatedPayment[] = [];
  const head = { messageId: '', on: '', iban: '' };
  const stream = new ElementStream({
    namespaces: FILES,
    isHanded: (name) => ['DrctDbtTxInf', 'CdtTrfTxInf', 'PmtInf', 'GrpHdr'].includes(name),
    ended: (ended: StatementElement) => {
      if (ended.name === 'GrpHdr') head.messageId = textAt(ended, 'MsgId') ?? '';
      else if (ended.name === 'PmtInf') {
        head.on = textAt(ended, 'ReqdColltnDt', 'ReqdExctnDt/Dt') ?? '';
        head.iban = textAt(ended, 'CdtrAcct/Id/IBAN', 'DbtrAcct/Id/IBAN') ?? '';
      } else {
        payments.push({
          endToEndId: textAt(ended, 'PmtId/EndToEndId') ?? '',
          amount: textAt(ended, 'InstdAmt', 'Amt/InstdAmt') ?? '',
          isDebit: ended.name === 'DrctDbtTxInf',
        });
      }
    },
  });
  const decoder = new TextDecoder('utf-8', { fatal: true });
  for await (const chunk of file) stream.write(decoder.decode(chunk, { stream: true }));
  stream.close();
  return { ...head, payments };
}
