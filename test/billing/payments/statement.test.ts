import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readStatement } from '../../../src/billing/payments/statements/read.ts';
import { camt, chunks, OWN_IBAN } from './bank.ts';

const read = (text: string | Buffer) => readStatement(chunks(text), { ownIbans: [OWN_IBAN] });
const problemsOf = async (text: string | Buffer) =>
  (await read(text)).problems.map(({ path, value, rule }) => `${path} [${value}] ${rule}`);
const ROOT = 'Document/BkToCstmrDbtCdtNtfctn/Ntfctn';

describe('camt', () => {
  test('is read movement by movement: sign, day, reference, reason, other side', async () => {
    const text = camt([
      {
        amount: '119.50',
        on: '2027-01-26',
        endToEndId: 'K7P2M9QX-004',
        iban: 'DE89370400440532013000',
        text: 'Strom',
      },
      { amount: '-119.50', endToEndId: 'K7P2M9QX-004', reason: 'AM04' },
      { amount: '5.00', endToEndId: 'NOTPROVIDED' },
    ]);
    const { entries, problems } = await read(text);
    expect(problems).toEqual([]);
    expect(entries).toEqual([
      expect.objectContaining({
        ...{ bookedOn: '2027-01-26', amount: '119.50', endToEndId: 'K7P2M9QX-004', returnReason: null },
        ...{ iban: 'DE89370400440532013000', text: 'Strom' },
      }),
      expect.objectContaining({ bookedOn: '2027-01-27', amount: '-119.50', returnReason: 'AM04' }),
      expect.objectContaining({ endToEndId: null }),
    ]);
  });

  test('of the older version, and with the parts of one movement, says the same', async () => {
    const parts = ['12.30', '7.70'].map(
      (amount, index) =>
        `<TxDtls><Refs><EndToEndId>K7P2M9QX-00${index}</EndToEndId></Refs><AmtDtls><TxAmt><Amt Ccy="EUR">${amount}</Amt></TxAmt></AmtDtls></TxDtls>`,
    );
    const text = `<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.054.001.02"><BkToCstmrDbtCdtNtfctn><Ntfctn><Id>R</Id>
      <Acct><Id><IBAN>${OWN_IBAN}</IBAN></Id></Acct><Ntry><Amt Ccy="EUR">20.00000</Amt><CdtDbtInd>CRDT</CdtDbtInd><Sts>BOOK</Sts>
      <BookgDt><Dt>2027-01-26+01:00</Dt></BookgDt><NtryDtls>${parts.join('')}</NtryDtls></Ntry></Ntfctn></BkToCstmrDbtCdtNtfctn></Document>`;
    const { entries, problems } = await read(text);
    expect(problems).toEqual([]);
    expect(entries.map(({ amount, endToEndId, bookedOn }) => [amount, endToEndId, bookedOn])).toEqual([
      ['12.30', 'K7P2M9QX-000', '2027-01-26'],
      ['7.70', 'K7P2M9QX-001', '2027-01-26'],
    ]);
    expect(await problemsOf(text.replace('20.00000', '21.00'))).toEqual([
      `${ROOT}/Ntry/Amt [21.00] Its 2 parts add up to 20.00`,
    ]);
  });

  test('tells every problem with its path', async () => {
    const good = camt(Array.from({ length: 6 }, () => ({ amount: '1.00' })));
    const places = [...good.matchAll(/<Ntry>.*?<\/Ntry>/gs)].map(([entry]) => entry);
    const broken = [
      (entry: string) => entry.replaceAll('1.00', '1,00'),
      (entry: string) => entry.replace('Ccy="EUR"', 'Ccy="USD"'),
      (entry: string) => entry.replace('CRDT', 'BOTH'),
      (entry: string) => entry.replace('BOOK', 'MAYBE'),
      (entry: string) => entry.replace('2027-01-27', '2027-02-30'),
      (entry: string) => entry.replace(/<BookgDt>.*?<\/BookgDt>/, ''),
    ];
    const text = places.reduce(
      (all, entry, index) => all.replace(entry, broken[index]?.(entry) ?? entry),
      good,
    );
    expect(await problemsOf(text)).toEqual([
      `${ROOT}/Ntry/Amt [1,00] Not an amount with at most two decimals (12.34)`,
      `${ROOT}/Ntry[2]/Amt/@Ccy [USD] Accepted: EUR`,
      `${ROOT}/Ntry[3]/CdtDbtInd [BOTH] Accepted: CRDT, DBIT`,
      `${ROOT}/Ntry[4]/Sts [MAYBE] Accepted: BOOK, PDNG, INFO`,
      `${ROOT}/Ntry[5]/BookgDt [2027-02-30] Not a day of the calendar`,
      `${ROOT}/Ntry[6]/BookgDt [] Must not be missing`,
    ]);
  });

  test('is not read beyond a thousand problems', async () => {
    const wrong = '<Ntry><Amt Ccy="USD">1.00</Amt><CdtDbtInd>CRDT</CdtDbtInd><Sts>OLD</Sts></Ntry>';
    const problems = await problemsOf(camt([]).replace('</Ntfctn>', `${wrong.repeat(2_000)}</Ntfctn>`));
    expect(problems).toHaveLength(1_001);
    expect(problems.at(-1)).toMatch(/1000 problems: what follows was not read$/);
    const table = await problemsOf(`booked_on,amount,reference\n${'x,y,z\n'.repeat(2_000)}a,b\n`);
    expect(table).toHaveLength(1_001);
    expect(table.at(-1)).toMatch(/1000 problems: what follows was not read$/);
  });

  test('of another account, or made by a simulated bank, is refused', async () => {
    const other = camt([{ amount: '1.00' }], { iban: 'DE89370400440532013000' });
    expect(await problemsOf(other)).toEqual([
      `${ROOT}/Acct/Id/IBAN [DE89370400440532013000] Not the account of the issuer (cli issuers show)`,
    ]);
    const invented = camt([{ amount: '1.00' }]).replace(/<Ntfctn><Id>/, '<Ntfctn><Id>SIMULATED-');
    expect((await problemsOf(invented))[0]).toContain('A simulated bank made this report');
  });

  test('that is no statement, is cut off, or plays tricks has one problem and no movement', async () => {
    const good = camt([{ amount: '1.00' }]);
    const entity = '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]>';
    const bad: readonly [string | Buffer, string][] = [
      [good.replace('<Document', `${entity}<Document`), 'A document type declaration is not allowed'],
      [good.replace('1.00', '&a;'), 'Not well-formed XML: undefined entity'],
      [good.slice(0, -20), 'Not well-formed XML: unclosed tag'],
      [good.replace('</Ntry>', '</Ntri>'), 'Not well-formed XML'],
      [good.replace('camt.054.001.08', 'camt.052.001.08'), 'The namespace'],
      [good.replace('encoding="UTF-8"', 'encoding="ISO-8859-1"'), 'only UTF-8'],
      [
        Buffer.concat([Buffer.from(good.slice(0, 200)), Buffer.from([0xff]), Buffer.from(good)]),
        'not valid UTF-8',
      ],
      [good.replace('<Ntry>', '<x>'.repeat(40)), 'nested deeper than 32'],
      [good.replace('1.00', '1'.repeat(30_000)), 'is too long'],
      [good.replace('<Ntry>', `<Ntry>${'<x/>'.repeat(10_001)}`), 'has more than 10000 elements'],
      [good.replace(/<Ntfctn>.*<\/Ntfctn>/s, ''), 'There is no Ntfctn'],
      ['', 'The file is empty'],
    ];
    for (const [text, rule] of bad) {
      const { entries, problems } = await read(text);
      expect([entries.length, problems.length, problems[0]?.rule]).toEqual([
        0,
        1,
        expect.stringContaining(rule),
      ]);
    }
  });

  test('with any bytes ends with movements or problems, never with an error', async () => {
    const good = Buffer.from(
      camt([
        { amount: '1.00', text: 'x' },
        { amount: '-2.00', reason: 'AM04' },
      ]),
    );
    const change = fc.record({ at: fc.nat(good.length - 1), byte: fc.nat(255), length: fc.nat(20) });
    await fc.assert(
      fc.asyncProperty(fc.array(change, { maxLength: 5 }), async (changes) => {
        const bytes = Buffer.from(good);
        for (const { at, byte, length } of changes) bytes.fill(byte, at, Math.min(at + length, bytes.length));
        const { entries, problems } = await read(bytes);
        expect(entries.length + problems.length).toBeGreaterThan(0);
      }),
      { numRuns: 300 },
    );
  });
});

describe('CSV', () => {
  test('has the same, with a sign and the reference of the bank', async () => {
    const { entries, problems } = await read(
      'booked_on,amount,reference,end_to_end_id,return_reason,name,iban,text\n2027-01-26,119.5,B1,K7P2M9QX-004,,Jule Brandt,DE89 3704 0044 0532 0130 00,"Strom, Januar"\n2027-01-27,-119.50,B2,K7P2M9QX-004,AM04,,,\n',
    );
    expect(problems).toEqual([]);
    expect(entries).toEqual([
      expect.objectContaining({ amount: '119.50', iban: 'DE89370400440532013000', text: 'Strom, Januar' }),
      expect.objectContaining({ amount: '-119.50', returnReason: 'AM04', bookedOn: '2027-01-27' }),
    ]);
  });

  test('tells every problem with line and column', async () => {
    expect(
      await problemsOf(
        'booked_on,amount,reference,return_reason\n2027-02-30,1,A,\n2027-01-01,1.234,B,\n2027-01-01,0,C,\n2027-01-01,1,,\n2027-01-01,1,D,am04\n2027-01-01,1,D,\n',
      ),
    ).toEqual([
      'line 2 booked_on [2027-02-30] Not a day of the calendar (2027-01-01)',
      'line 3 amount [1.234] Not an amount with at most two decimals (12.34, or -12.34 for what went out)',
      'line 4 amount [0] Not an amount with at most two decimals (12.34, or -12.34 for what went out)',
      'line 5 reference [] Must not be empty',
      'line 6 return_reason [am04] Four letters or digits (AM04)',
      'line 7 reference [D] Line 6 has this reference too',
    ]);
  });
});
