import type { Connection } from '../../platform/database/db.ts';
import { addDays, type CalendarDay } from '../../platform/time/berlin-calendar.ts';
import { type DueBill, listDueBills, listDueRefunds } from './due-queries.ts';
import type { OwnAccount } from './file-queries.ts';
import type { PaymentInstructions, PaymentProvider } from './provider.ts';
import type { NewPayment } from './queries.ts';
import { transferBlockId } from './sepa/credit-transfer.ts';
import { debitBlockId } from './sepa/direct-debit.ts';
import type { FileHead, SequenceType, Transfer } from './sepa/instructions.ts';

/** Of one file: banks take 100,000, and a transaction of these takes seconds. The next file has the rest. */
const PAYMENTS_MAX = 5_000;
/** The document announces the debit: the scheme wants 14 days where nothing else was agreed. */
const ANNOUNCED_DAYS = 14;

/** What is kept of a payment, beside what all payments of a file have. */
interface PlannedPayment {
  readonly bill: DueBill;
  readonly columns: Pick<NewPayment, 'direction' | 'way' | 'sequence_type' | 'end_to_end_id' | 'block_id'>;
}

interface Planned {
  readonly instructions: PaymentInstructions;
  readonly payments: readonly PlannedPayment[];
}

/** What files of debits and of refunds do differently. */
export interface FileKind {
  readonly kind: 'debits' | 'refunds';
  due(connection: Connection, organization: string, on: CalendarDay): Promise<DueBill[]>;
  plan(provider: PaymentProvider, head: FileHead, account: OwnAccount, bills: readonly DueBill[]): Planned;
}

export const debits: FileKind = {
  kind: 'debits',
  due: (connection, organization, on) =>
    listDueBills(connection, organization, {
      on,
      announcedUntil: addDays(on, -ANNOUNCED_DAYS),
      rowsMax: PAYMENTS_MAX,
    }),
  plan: (provider, head, { creditorId }, bills) => {
    const sequences = sequencesOf(bills);
    const all = bills.map((bill, index) => {
      const { mandate_reference: mandateReference, mandate_signed_on: mandateSignedOn } = bill;
      const sequenceType = sequences[index] ?? 'RCUR';
      return {
        bill,
        debit: { ...transferOf(bill, 'bill'), mandateReference, mandateSignedOn, sequenceType },
      };
    });
    return {
      instructions: provider.collect({ ...head, creditorId, debits: all.map(({ debit }) => debit) }),
      payments: all.map(({ bill, debit: { endToEndId: end_to_end_id, sequenceType: sequence_type } }) => {
        const block_id = debitBlockId(head.messageId, sequence_type);
        return {
          bill,
          columns: { direction: 'in', way: 'direct_debit', sequence_type, end_to_end_id, block_id },
        };
      }),
    };
  },
};

export const refunds: FileKind = {
  kind: 'refunds',
  due: (connection, organization) => listDueRefunds(connection, organization, PAYMENTS_MAX),
  plan: (provider, head, _account, bills) => {
    const all = bills.map((bill) => ({ bill, transfer: transferOf(bill, 'refund') }));
    const block_id = transferBlockId(head.messageId);
    return {
      instructions: provider.refund({ ...head, transfers: all.map(({ transfer }) => transfer) }),
      payments: all.map(({ bill, transfer: { endToEndId: end_to_end_id } }) => ({
        bill,
        columns: { direction: 'out', way: 'credit_transfer', sequence_type: null, end_to_end_id, block_id },
      })),
    };
  },
};

/** The first debit of a mandate that was never used is told apart, also within the file. */
function sequencesOf(bills: readonly DueBill[]): SequenceType[] {
  const used = new Set<string>();
  return bills.map(({ is_used, payment_method_id: mandate }) => {
    const isFirst = !(is_used || used.has(mandate));
    used.add(mandate);
    return isFirst ? 'FRST' : 'RCUR';
  });
}

const WORDS = {
  de: { bill: 'Rechnung', refund: 'Erstattung zu' },
  en: { bill: 'Invoice', refund: 'Refund for' },
} as const;

function transferOf(bill: DueBill, word: 'bill' | 'refund'): Transfer {
  const number = bill.invoice_number;
  return {
    /* A second attempt is another payment to the bank: its result must not be taken for that of the first one. */
    endToEndId: bill.attempts === 0 ? number : `${number}.${bill.attempts + 1}`,
    amount: bill.amount,
    name: bill.account_holder,
    iban: bill.iban,
    purpose: `${WORDS[bill.language === 'en' ? 'en' : 'de'][word]} ${number}`,
  };
}
