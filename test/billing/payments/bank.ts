import { bankFiles } from '../../../src/billing/payments/bank-files.ts';
import { importStatement } from '../../../src/billing/payments/import.ts';
import type { PaymentProvider } from '../../../src/billing/payments/provider.ts';
import type { StaffAct } from '../../../src/platform/staff-act.ts';
import { startApi, type TestApi } from '../../setup/api.ts';
import { type FakeClock, fakeClock } from '../../setup/clock.ts';
import { type BilledContract, createBilledContract, draftOf, issueDocument } from '../../setup/invoices.ts';
import { storedRows } from '../../setup/stored-rows.ts';

export const OWN_IBAN = 'DE02120300000000202051';
export const ISSUED = '2027-01-11T07:00:00.000Z';

/** An organization with an account and a bank that reports what the test says. */
export interface TestBank {
  api: TestApi;
  clock: FakeClock;
  act(): StaffAct;
  organization(): Promise<string>;
  contract(organization: string): Promise<BilledContract>;
  /** Issued on 2027-01-11, due on 2027-01-26, over 119 EUR, unless something else is wanted. */
  bill(contract: BilledContract, given?: BillInput): Promise<{ id: string; number: string }>;
  import(organization: string, text: string, provider?: PaymentProvider): ReturnType<typeof importStatement>;
  /** The statement of the day, with a fee of the bank and `more`. Returns how many bills became paid because their debit is final. */
  daily(organization: string, more?: readonly Movement[]): Promise<number>;
  /** The process ends when the statement is stored and nothing of it is booked. */
  importAndDie(organization: string, text: string): Promise<void>;
  stateOf(invoice: string): Promise<{ status: string; told: string[]; payments: string[] }>;
  close(): Promise<void>;
}

type BillInput = Parameters<typeof draftOf>[1] & { total?: string; issuedAt?: string };

export async function startBank(): Promise<TestBank> {
  const taken = (organization: string, text: string, provider: PaymentProvider) =>
    importStatement(api.deps, organization, { name: 'statement', source: chunks(text) }, provider, act());
  const clock = fakeClock(ISSUED);
  const api = await startApi({ clock });
  const act = () => ({ staff: 'tests', reason: 'test', command: 'test', now: clock.now().toISOString() });
  return {
    api,
    clock,
    act,
    organization: async () => {
      const { organization } = await createBilledContract(api.deps);
      await storedRows(
        api,
        `INSERT INTO issuers (organization_id, name, street, house_number, zip, city, contact_name, email, phone, vat_id,
           supplier_code, iban, account_holder, creditor_id, bills_from)
         VALUES ($1, 'Strom & Söhne GmbH', 'Weg', '1', '20354', 'Hamburg', 'Service', 'service@strom.example', '+49 40 1',
                 'DE123456788', '9907248000001', $2, 'Strom & Söhne GmbH', 'DE98ZZZ09999999999', '2000-01-01')`,
        [organization, OWN_IBAN],
      );
      return organization;
    },
    contract: (organization) => createBilledContract(api.deps, { organization }),
    bill: async (contract, { total = '119.00', issuedAt = ISSUED, ...given } = {}) => {
      const before = clock.now().toISOString();
      clock.set(issuedAt);
      const { id, invoice_number } = await issueDocument(api.deps, contract, {
        ...given,
        ...sumsOf(contract, total),
      });
      clock.set(before);
      return { id, number: invoice_number };
    },
    import: (organization, text, provider = bankFiles) => taken(organization, text, provider),
    daily: async (organization, more = []) => {
      const fee = { amount: '-1.50', on: clock.now().toISOString().slice(0, 10), text: 'Entgelt' };
      return (await taken(organization, camt([...more, fee]), bankFiles)).settled;
    },
    importAndDie: async (organization, text) => {
      let looks = 0;
      const now = () => {
        looks += 1;
        if (looks > 1) throw new Error('killed');
        return clock.now();
      };
      const statement = { name: 'statement', source: chunks(text) };
      const dying = importStatement(
        { ...api.deps, clock: { now } },
        organization,
        statement,
        bankFiles,
        act(),
      );
      const end = await dying.catch((error: Error) => error.message);
      if (end !== 'killed') throw new Error('The import came to its end');
    },
    stateOf: async (invoice) => {
      const [row] = await storedRows<{ status: string; told: string[]; payments: string[] }>(
        api,
        `SELECT status,
                ARRAY(SELECT topic FROM events WHERE context ->> 'invoice' = $1 ORDER BY position) AS told,
                ARRAY(SELECT concat_ws(' ', direction, way, amount, status, return_reason) FROM payments
                       WHERE invoice_id = $1 ORDER BY 1) AS payments
           FROM invoices WHERE id = $1`,
        [invoice],
      );
      if (row === undefined) throw new Error(`No invoice ${invoice}`);
      return row;
    },
    close: () => api.close(),
  };
}

/** One line without tax over the whole amount. */
function sumsOf(contract: BilledContract, total: string) {
  const [line] = draftOf(contract).lines;
  if (line === undefined) throw new Error('A draft has lines');
  return {
    lines: [{ ...line, net: total, vatRate: '0' }],
    sums: {
      net: total,
      taxes: [{ rate: '0', net: total, tax: '0.00' }],
      tax: '0.00',
      deducted: '0.00',
      total,
    },
  };
}

/** In pieces of odd length, as a disk gives them. */
export async function* chunks(text: string | Buffer): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text as string);
  for (let from = 0; from < bytes.length; from += 1_021) yield bytes.subarray(from, from + 1_021);
}

export interface Movement {
  /** With a sign. */
  amount: string;
  on?: string;
  /** The bank's own name of it. */
  reference?: string;
  /** Its number within the report. */
  entryReference?: string;
  endToEndId?: string;
  blockId?: string;
  reason?: string;
  text?: string;
  iban?: string;
}

let reports = 0;

/** A camt.054 as banks write it. */
export function camt(movements: readonly Movement[], { iban = OWN_IBAN } = {}): string {
  reports += 1;
  const entries = movements.map((movement) => {
    const { amount, on = '2027-01-27', reference, endToEndId, blockId, reason, text, iban: other } = movement;
    const plain = amount.replace('-', '');
    const number = movement.entryReference;
    const side = amount.startsWith('-') ? 'DBIT' : 'CRDT';
    const part = (name: string, inner: string | undefined) =>
      inner === undefined ? '' : `<${name}>${inner}</${name}>`;
    return `<Ntry>${part('NtryRef', number)}<Amt Ccy="EUR">${plain}</Amt><CdtDbtInd>${side}</CdtDbtInd><Sts><Cd>BOOK</Cd></Sts>
      <BookgDt><Dt>${on}</Dt></BookgDt>${part('AcctSvcrRef', reference)}<NtryDtls>${part('Btch', blockId && part('PmtInfId', blockId))}
      ${
        blockId === undefined
          ? `<TxDtls><Refs>${part('EndToEndId', endToEndId)}</Refs><Amt Ccy="EUR">${plain}</Amt>
      ${part('RltdPties', other && `<DbtrAcct><Id><IBAN>${other}</IBAN></Id></DbtrAcct>`)}
      ${part('RmtInf', text && part('Ustrd', text))}${part('RtrInf', reason && `<Rsn><Cd>${reason}</Cd></Rsn>`)}</TxDtls>`
          : ''
      }</NtryDtls></Ntry>`;
  });
  return `<?xml version="1.0" encoding="UTF-8"?>
<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.054.001.08"><BkToCstmrDbtCdtNtfctn>
<GrpHdr><MsgId>M${reports}</MsgId><CreDtTm>2027-01-27T18:00:00Z</CreDtTm></GrpHdr>
<Ntfctn><Id>R${reports}</Id><Acct><Id><IBAN>${iban}</IBAN></Id></Acct>${entries.join('')}</Ntfctn>
</BkToCstmrDbtCdtNtfctn></Document>`;
}
