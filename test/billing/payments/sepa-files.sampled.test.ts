import fc from 'fast-check';
import { SaxesParser } from 'saxes';
import { describe, expect, test } from 'vitest';
import { creditTransferFile } from '../../../src/billing/payments/sepa/credit-transfer.ts';
import { directDebitFile } from '../../../src/billing/payments/sepa/direct-debit.ts';
import type { Debit, DebitFile } from '../../../src/billing/payments/sepa/instructions.ts';
import { bankText } from '../../../src/billing/payments/sepa/text.ts';
import { Exact } from '../../../src/platform/money.ts';
import { runs } from '../../setup/tier.ts';

const IBAN = 'DE89370400440532013000';
const DEBIT: Debit = {
  endToEndId: 'K7P2M9QX-004',
  amount: '119.50',
  name: 'Żółta Łódź & Ñandú GmbH',
  iban: IBAN,
  purpose: 'Rechnung K7P2M9QX-004',
  mandateReference: '0D4C2A9E5B7F4C0FA1B2C3D4E5F60718',
  mandateSignedOn: '2026-10-05',
  sequenceType: 'FRST',
};
const FILE: DebitFile = {
  messageId: 'VS20270122-4K7P2M9QXABC',
  createdAt: '2027-01-22T08:00:00.000Z',
  on: '2027-01-26',
  owner: { name: 'Strom & Söhne <GmbH>', iban: 'DE02120300000000202051', bic: null },
  creditorId: 'DE98ZZZ09999999999',
  debits: [DEBIT],
};

interface Leaf {
  path: string;
  text: string;
  currency: string | undefined;
}

/** What a bank reads, by a parser that knows nothing of how it was written. */
function leavesOf(file: Buffer): { leaves: Leaf[]; order: string[]; namespace: string } {
  const parser = new SaxesParser({ xmlns: true });
  const path: string[] = [];
  const [leaves, order]: [Leaf[], string[]] = [[], []];
  let [text, currency, namespace]: [string, string | undefined, string] = ['', undefined, ''];
  parser.on('error', (error) => {
    throw error;
  });
  parser.on('opentag', (tag) => {
    path.push(tag.local);
    order.push(path.join('/'));
    [text, currency, namespace] = ['', tag.attributes.Ccy?.value, tag.uri];
  });
  parser.on('text', (part) => {
    text += part;
  });
  parser.on('closetag', () => {
    if (text.trim() !== '') leaves.push({ path: path.slice(2).join('/'), text, currency });
    text = '';
    path.pop();
  });
  parser.write(file.toString()).close();
  return { leaves, order, namespace };
}

/** Any but half of a pair. The unit `binary` means the same and takes two seconds to be made. */
const character = fc
  .integer({ min: 0, max: 0x10_f7_ff })
  .map((code) => String.fromCodePoint(code < 0xd8_00 ? code : code + 0x8_00));

const textsAt = (file: Buffer, path: string) =>
  leavesOf(file)
    .leaves.filter((leaf) => leaf.path === path)
    .map(({ text }) => text);

describe('a file of debits', () => {
  test('has the elements of pain.008.001.08 in the order of its schema', () => {
    const { leaves, namespace } = leavesOf(directDebitFile(FILE));
    expect(namespace).toBe('urn:iso:std:iso:20022:tech:xsd:pain.008.001.08');
    expect(leaves.map(({ path, text }) => `${path} ${text}`)).toEqual([
      'GrpHdr/MsgId VS20270122-4K7P2M9QXABC',
      'GrpHdr/CreDtTm 2027-01-22T08:00:00.000Z',
      'GrpHdr/NbOfTxs 1',
      'GrpHdr/CtrlSum 119.50',
      'GrpHdr/InitgPty/Nm Strom + Soehne .GmbH.',
      'PmtInf/PmtInfId VS20270122-4K7P2M9QXABC-FRST',
      'PmtInf/PmtMtd DD',
      'PmtInf/NbOfTxs 1',
      'PmtInf/CtrlSum 119.50',
      'PmtInf/PmtTpInf/SvcLvl/Cd SEPA',
      'PmtInf/PmtTpInf/LclInstrm/Cd CORE',
      'PmtInf/PmtTpInf/SeqTp FRST',
      'PmtInf/ReqdColltnDt 2027-01-26',
      'PmtInf/Cdtr/Nm Strom + Soehne .GmbH.',
      'PmtInf/CdtrAcct/Id/IBAN DE02120300000000202051',
      'PmtInf/CdtrAgt/FinInstnId/Othr/Id NOTPROVIDED',
      'PmtInf/ChrgBr SLEV',
      'PmtInf/CdtrSchmeId/Id/PrvtId/Othr/Id DE98ZZZ09999999999',
      'PmtInf/CdtrSchmeId/Id/PrvtId/Othr/SchmeNm/Prtry SEPA',
      'PmtInf/DrctDbtTxInf/PmtId/EndToEndId K7P2M9QX-004',
      'PmtInf/DrctDbtTxInf/InstdAmt 119.50',
      'PmtInf/DrctDbtTxInf/DrctDbtTx/MndtRltdInf/MndtId 0D4C2A9E5B7F4C0FA1B2C3D4E5F60718',
      'PmtInf/DrctDbtTxInf/DrctDbtTx/MndtRltdInf/DtOfSgntr 2026-10-05',
      'PmtInf/DrctDbtTxInf/DbtrAgt/FinInstnId/Othr/Id NOTPROVIDED',
      'PmtInf/DrctDbtTxInf/Dbtr/Nm Zolta Lodz + Nandu GmbH',
      `PmtInf/DrctDbtTxInf/DbtrAcct/Id/IBAN ${IBAN}`,
      'PmtInf/DrctDbtTxInf/RmtInf/Ustrd Rechnung K7P2M9QX-004',
    ]);
  });

  test('has counts and sums that are those of its debits, to the cent, however many', () => {
    const cents = fc.integer({ min: 1, max: 99_999_999 });
    const some = fc.array(fc.record({ cents, isFirst: fc.boolean() }), { minLength: 1, maxLength: 60 });
    fc.assert(
      fc.property(some, (payments) => {
        const debits = payments.map(
          ({ cents: amount, isFirst }, index): Debit => ({
            ...DEBIT,
            endToEndId: `K7P2M9QX-${index}`,
            amount: new Exact(amount).dividedBy(100).toFixed(2),
            sequenceType: isFirst ? 'FRST' : 'RCUR',
          }),
        );
        const file = directDebitFile({ ...FILE, debits });
        const euros = (count: number) => new Exact(count).dividedBy(100).toFixed(2);
        const sum = (parts: typeof payments) => euros(parts.reduce((total, part) => total + part.cents, 0));
        const blocks = [true, false].map((first) => payments.filter(({ isFirst }) => isFirst === first));
        const filled = blocks.filter((block) => block.length > 0);
        expect(textsAt(file, 'GrpHdr/NbOfTxs')).toEqual([String(payments.length)]);
        expect(textsAt(file, 'GrpHdr/CtrlSum')).toEqual([sum(payments)]);
        expect(textsAt(file, 'PmtInf/NbOfTxs')).toEqual(filled.map(({ length }) => String(length)));
        expect(textsAt(file, 'PmtInf/CtrlSum')).toEqual(filled.map(sum));
        expect(textsAt(file, 'PmtInf/DrctDbtTxInf/PmtId/EndToEndId').toSorted()).toEqual(
          debits.map(({ endToEndId }) => endToEndId).toSorted(),
        );
      }),
      { numRuns: runs(10) },
    );
  });

  test('with anything that a bank refuses is not written, and every problem is named', () => {
    const wrong = {
      ...FILE,
      creditorId: 'DE97ZZZ09999999999',
      owner: { ...FILE.owner, bic: 'X' },
      debits: [
        { ...DEBIT, endToEndId: 'a_b' },
        { ...DEBIT, endToEndId: 'A//B' },
        { ...DEBIT, endToEndId: 'B', amount: '0.00' },
        { ...DEBIT, endToEndId: 'C', amount: '1000000000.00' },
        { ...DEBIT, endToEndId: 'D', iban: 'DE89370400440532013001' },
        { ...DEBIT, endToEndId: 'E', iban: 'GB29NWBK60161331926819' },
        { ...DEBIT, endToEndId: 'F', mandateReference: 'with blank' },
        { ...DEBIT, endToEndId: 'G', mandateSignedOn: '2027-02-01' },
        { ...DEBIT, endToEndId: 'G', name: ' ' },
      ],
    };
    const problems = (() => {
      try {
        directDebitFile(wrong);
        return [];
      } catch (error) {
        return (error as Error).message.split('\n');
      }
    })();
    expect(problems).toEqual([
      'The bank would refuse the file:',
      'own account: BIC "X": not valid',
      'two payments have the same end-to-end id',
      'creditor id "DE97ZZZ09999999999": not valid',
      'end-to-end id "a_b": not valid',
      'end-to-end id "A//B": not valid',
      'B: amount "0.00": not an amount from 0.01 to 999999999.99 EUR',
      'C: amount "1000000000.00": not an amount from 0.01 to 999999999.99 EUR',
      'D: the IBAN is not valid',
      'E: accounts in GB need the address of their holder in the file',
      'F: mandate "with blank": not a reference of a mandate',
      'G: mandate signed on "2027-02-01": not a day before the collection',
      'G: the name of the account holder is missing',
    ]);
  });
});

test('a file of transfers has the elements of pain.001.001.09 in the order of its schema', () => {
  const { creditorId: _, debits: __, ...head } = FILE;
  const { leaves, namespace } = leavesOf(
    creditTransferFile({ ...head, owner: { ...head.owner, bic: 'COBADEFFXXX' }, transfers: [DEBIT] }),
  );
  expect(namespace).toBe('urn:iso:std:iso:20022:tech:xsd:pain.001.001.09');
  expect(leaves.map(({ path, text }) => `${path} ${text}`)).toEqual([
    'GrpHdr/MsgId VS20270122-4K7P2M9QXABC',
    'GrpHdr/CreDtTm 2027-01-22T08:00:00.000Z',
    'GrpHdr/NbOfTxs 1',
    'GrpHdr/CtrlSum 119.50',
    'GrpHdr/InitgPty/Nm Strom + Soehne .GmbH.',
    'PmtInf/PmtInfId VS20270122-4K7P2M9QXABC-TRF',
    'PmtInf/PmtMtd TRF',
    'PmtInf/NbOfTxs 1',
    'PmtInf/CtrlSum 119.50',
    'PmtInf/PmtTpInf/SvcLvl/Cd SEPA',
    'PmtInf/ReqdExctnDt/Dt 2027-01-26',
    'PmtInf/Dbtr/Nm Strom + Soehne .GmbH.',
    'PmtInf/DbtrAcct/Id/IBAN DE02120300000000202051',
    'PmtInf/DbtrAgt/FinInstnId/BICFI COBADEFFXXX',
    'PmtInf/ChrgBr SLEV',
    'PmtInf/CdtTrfTxInf/PmtId/EndToEndId K7P2M9QX-004',
    'PmtInf/CdtTrfTxInf/Amt/InstdAmt 119.50',
    'PmtInf/CdtTrfTxInf/Cdtr/Nm Zolta Lodz + Nandu GmbH',
    `PmtInf/CdtTrfTxInf/CdtrAcct/Id/IBAN ${IBAN}`,
    'PmtInf/CdtTrfTxInf/RmtInf/Ustrd Rechnung K7P2M9QX-004',
  ]);
});

test('a text has only characters that banks take, whatever customers are called', () => {
  fc.assert(
    fc.property(fc.string({ unit: character, maxLength: 300 }), (text) => {
      expect(bankText(text, 70)).toMatch(/^[A-Za-z0-9/\-?:().,'+ ]{0,70}$/);
    }),
  );
  expect(bankText('Öztürk, Ærø & Çelik’s Straße 5_b', 70)).toBe("Oeztuerk, AEro + Celik's Strasse 5-b");
});
