import { expect, test } from 'vitest';
import { drawInvoice } from '../../../../src/billing/invoices/documents/draw.ts';
import { readPdf } from './pdf-reader.ts';
import { factsOfSample } from './sample-facts.ts';
import { estimatedYear, SAMPLES, smartUsage } from './samples.ts';

/* Long names and long bills. */

const MM = 72 / 25.4;
const read = async (document: Parameters<typeof drawInvoice>[0]) => readPdf(await drawInvoice(document));

/** As long as the interface takes them. */
const LONG = {
  words: (characters: number) =>
    'Gesellschaft für Nahwärme und Bürgerstrom mbH '.repeat(10).slice(0, characters),
  'one word': (characters: number) => 'W'.repeat(characters),
};

test.each(Object.entries(LONG))(
  'long names and addresses in %s print over nothing on the first page',
  async (_, of) => {
    const facts = factsOfSample();
    const address = { street: of(100), houseNumber: of(20), zip: '22767', city: of(100) };
    const issuer = {
      ...{ ...facts.issuer, address, name: of(100), accountHolder: of(70), contactName: of(100) },
      ...{
        registerCourt: of(100),
        registerNumber: of(50),
        representedBy: of(200),
        email: `${of(60)}@x.example`,
      },
    };
    const recipient = {
      ...{ ...facts.recipient, address, type: 'company' as const, companyName: of(100) },
      ...{ firstName: of(60), lastName: of(60) },
    };
    const { texts } = await read({ ...smartUsage(), facts: { ...facts, issuer, recipient } });
    const first = texts.filter(({ page, text }) => page === 1 && text.trim() !== '');
    const overlaps = first.flatMap((piece, index) =>
      first
        .slice(index + 1)
        .filter(
          (other) =>
            Math.min(piece.x + piece.width, other.x + other.width) - Math.max(piece.x, other.x) > 1 &&
            /* Letters reach to seven tenths of their size above the line they stand on. */
            Math.min(piece.y + 0.7 * piece.height, other.y + 0.7 * other.height) -
              Math.max(piece.y, other.y) >
              0.5,
        )
        .map((other) => [piece.text, other.text]),
    );
    expect(overlaps).toEqual([]);
    const inWindow = first.filter(({ x, y }) => x < 105 * MM && y < (297 - 62.7) * MM && y > (297 - 90) * MM);
    expect(inWindow.map(({ text }) => text).join('')).toContain('22767');
    const subject = first.find(({ text }) => text.includes('Stromrechnung'));
    const above = first.filter(({ x, y }) => x > 120 * MM && y > (subject?.y ?? 0));
    expect(above.map(({ text }) => text).join('')).toContain('@x.example');
  },
);

test.each(Object.entries(SAMPLES))(
  '%s: the longest number of a bill behind a restore never breaks, and a usual one is not smaller on the letter',
  async (_, sample) => {
    for (const [number, language, least] of [
      ['WWWWWWWW-214748364799999', 'de', 7],
      ['WWWWWWWW-214748364799999', 'en', 7],
      ['K7P2M9QX-2872080000005', 'de', 9],
    ] as const) {
      const long = JSON.stringify(sample(language)).replaceAll(/[A-Z0-9]{8}-\d{3}(?=")/g, number);
      const { texts } = await read(JSON.parse(long));
      const naming = texts.filter(({ text }) => text.includes(number.slice(0, 4)));
      expect(naming.filter(({ text }) => text !== 'K7P2M9QX' && !text.includes(number))).toEqual([]);
      const onLetter = naming.find(({ text }) => text === number);
      expect(onLetter?.height).toBeGreaterThanOrEqual(least);
    }
  },
);

test('a bill of a year sums each kind of charge on its pages and gives the single lines in an annex', async () => {
  const document = estimatedYear();
  const { text } = await read(document);
  const [pages = '', annex = ''] = text.split('Anlage: Einzelne Zeilen');
  const levies = document.lines.filter(({ kind }) => kind === 'electricity_tax');
  expect(levies).toHaveLength(12);
  const sum = levies.reduce((before, { net }) => before + Number(net), 0).toFixed(2);
  expect(pages.match(/Stromsteuer /g)).toHaveLength(1);
  expect(pages).toContain(`Stromsteuer 2.737,20 kWh 2,05 ct/kWh ${sum.replace('.', ',')}`);
  for (const { net } of levies) expect(annex).toContain(net.replace('.', ','));
  expect(annex).toContain('Woher die Preise kommen');
  expect((await read(smartUsage())).text).not.toContain('Anlage');
});
