import { expect, test } from 'vitest';
import type { UsageFacts } from '../../../../src/billing/invoices/calculate/fact-types.ts';
import { drawInvoice } from '../../../../src/billing/invoices/documents/draw.ts';
import { sampled } from '../../../setup/tier.ts';
import { nodesOf, readPdf } from './pdf-reader.ts';
import { factsOfSample } from './sample-facts.ts';
import { estimatedYear, feedInCredit, SAMPLES, smartUsage } from './samples.ts';

const MM = 72 / 25.4;
const LANGUAGES = ['de', 'en'] as const;
const NAMES = Object.keys(SAMPLES) as (keyof typeof SAMPLES)[];
/** By `npm run test:long` each sample in both languages, by `npm test` a third of all of these. */
const ALL = sampled(
  NAMES.flatMap((name) => LANGUAGES.map((language) => ({ name, language }))),
  3,
);

const read = async (document: Parameters<typeof drawInvoice>[0]) => readPdf(await drawInvoice(document));

const known = new Map<string, ReturnType<typeof read>>();
/** A sample as it is, drawn and read once for all tests. */
function readSample(name: keyof typeof SAMPLES, language: (typeof LANGUAGES)[number] = 'de') {
  const key = `${name} ${language}`;
  const reading = known.get(key) ?? read(SAMPLES[name](language));
  known.set(key, reading);
  return reading;
}

test.each(ALL)(
  '$name in $language: its words can be read out of it, in its language, under its title',
  async ({ name, language }) => {
    const document = SAMPLES[name](language);
    const { text, title, language: told, isMarked } = await readSample(name, language);
    expect(text).toContain(document.invoiceNumber);
    expect(text).toContain('Beispielstrom & Söhne GmbH');
    expect(text).toContain('Zoë Gökçe-Wójcik');
    expect(text).toContain(language === 'de' ? '12.11.2026' : '12 Nov 2026');
    expect(title).toContain(document.invoiceNumber);
    expect({ told, isMarked }).toEqual({ told: language, isMarked: true });
  },
);

test.each(ALL)(
  '$name in $language: nothing stands outside of the paper, or in the foot of the page',
  async ({ name, language }) => {
    const { texts, pages } = await readSample(name, language);
    const foot = (297 - 258.5) * MM;
    for (const { text, x, y, width } of texts) {
      const right = x + width;
      expect({
        text,
        isInside: x >= 24.9 * MM && right <= 190.5 * MM && y >= 5 * MM && y <= 285 * MM,
      }).toEqual({
        text,
        isInside: true,
      });
    }
    /* The same on every page, but for its number: the text of the document ends above it. */
    const footOf = (page: number) =>
      texts
        .filter((piece) => piece.page === page && piece.y < foot && piece.text.trim() !== '')
        .map((piece) => piece.text.replace(/(Seite|Page) \d+/, 'page'));
    expect(footOf(1).some((text) => text.includes('page'))).toBe(true);
    for (let page = 2; page <= pages; page += 1) expect(footOf(page)).toEqual(footOf(1));
  },
);

test('the name and address of the customer stand in the window of the envelope, and nothing else does', async () => {
  const { texts } = await readSample('smartUsage');
  const inWindow = texts.filter(
    ({ page, x, y, text }) =>
      page === 1 && text.trim() !== '' && x < 105 * MM && y < (297 - 62.7) * MM && y > (297 - 90) * MM,
  );
  expect(inWindow.map(({ text }) => text.replaceAll(/\s+/g, ' '))).toEqual([
    'Zoë Gökçe-Wójcik',
    'Große Elbstraße 145 c',
    '22767 Hamburg',
  ]);
});

test('a screen reader finds one title, sections, tables with heads of columns and rows, and charts in words', async () => {
  const { trees } = await readSample('smartUsage');
  const nodes = trees.flatMap(nodesOf);
  const texts = (role: string) => nodes.filter((node) => node.role === role).map(({ text }) => text.trim());
  expect(texts('H1')).toEqual(['Stromrechnung mit Verbrauchsinformation']);
  expect(texts('H2')).toEqual([
    'Auf einen Blick',
    'Wie sich die Beträge zusammensetzen',
    'Zählerstände und Verbrauch',
    'Ihr Verbrauch im Vergleich',
    'Ihr Vertrag',
    'Ihre Rechte und wo Sie Rat finden',
  ]);
  expect(texts('TH')).toEqual(expect.arrayContaining(['Position', 'Betrag in €', 'Summe netto', 'Zähler']));
  const figures = nodes.filter(({ role }) => role === 'Figure');
  expect(figures.map(({ alt }) => alt)).toEqual([
    expect.stringMatching(/^Balkendiagramm\. .*Die Werte stehen in der Tabelle darunter\.$/),
    expect.stringMatching(/Haushalt, eine Person: 1\.500; .*Ihr Verbrauch der letzten zwölf Monate: 2\.970/),
  ]);
  const rows = nodes.filter(({ role }) => role === 'TR');
  for (const row of rows) expect(row.children[0]?.role).toBe('TH');
});

test('in a chart the last twelve months are dark, in the legend too, and the year before has stripes', async () => {
  const { texts, fills } = await readSample('smartUsage');
  const dark = fills.filter(({ color }) => color === '#1f3d5c');
  const isBesideDark = ({ page, x, y }: (typeof texts)[number]) =>
    dark.some(
      (fill) => fill.page === page && Math.abs(fill.x + fill.width + 4 - x) < 1 && Math.abs(fill.y - y) < 4,
    );
  const named = (name: string) => texts.filter(({ text }) => text === name);
  expect(named('letzte zwölf Monate').filter(isBesideDark)).toHaveLength(1);
  expect(named('Jahr davor').filter(isBesideDark)).toEqual([]);
  /* The legend, twelve months, and the customer among other households. */
  expect(dark).toHaveLength(14);
});

test('the head of a table is shaded wherever it stands, on the next page too', async () => {
  const { texts, fills } = await readSample('estimatedYear');
  const heads = texts.filter(({ text }) => text === 'Menge');
  expect(new Set(heads.map(({ page }) => page)).size).toBeGreaterThan(2);
  const isShaded = ({ page, x, y }: (typeof texts)[number]) =>
    fills.some(
      (fill) =>
        fill.color === '#eef1f4' &&
        fill.page === page &&
        fill.x < x &&
        fill.x + fill.width > x &&
        fill.y < y &&
        fill.y + fill.height > y,
    );
  expect(heads.filter((head) => !isShaded(head))).toEqual([]);
});

test('the sum of the net column is the net sum, and it says what is paid when', async () => {
  const document = smartUsage();
  const { text } = await readSample('smartUsage');
  const { net, tax, total } = document.sums;
  for (const amount of [net, tax, total]) expect(text).toContain(amount.replace('.', ','));
  for (const { net: ofLine } of document.lines)
    expect(text).toContain(ofLine.replace('-', '−').replace('.', ','));
  expect(text).toContain(
    `Wir ziehen ${total.replace('.', ',')} € am 26.11.2026 von Ihrem Konto DE****************3000 ein`,
  );
  expect(text).not.toContain('370400');
});

test.each([
  [
    'who bills, where it is registered and how to reach it',
    [
      'Amtsgericht Charlottenburg, HRB 12345',
      'service@beispielstrom.example',
      '+49 30 1234567',
      'USt-IdNr. DE123456788',
    ],
  ],
  [
    'the place of supply and its numbers',
    ['Große Elbstraße 145 c', '50123456789', 'DE0009993707300000000000000123456', '1EMH0087654321'],
  ],
  [
    'term and prices',
    ['seit 01.03.2024, auf unbestimmte Zeit', 'Grundgebühr 5,00 € im Monat', 'Beschaffung 1,80 ct/kWh'],
  ],
  ['notice and the next termination', ['Kündigungsfrist 1 Monat', '12.12.2026']],
  ['operators with their codes', ['Messstellenbetreiber Hamburger Energienetze, Codenummer 9910203000005']],
  [
    'both readings and how they were obtained',
    ['18.342,7 kWh, 01.10.2026', '18.647,823 kWh, 01.11.2026', 'fernausgelesen'],
  ],
  ['the year before', ['Im gleichen Zeitraum des Vorjahres: 319,00 kWh']],
  ['other households', ['Haushalt, zwei Personen', '2.500']],
  [
    'dispute resolution and the consumer service',
    ['Schlichtungsstelle Energie e. V., Friedrichstraße 133, 10117 Berlin', 'Postfach 8001, 53105 Bonn'],
  ],
  ['advice on energy', ['www.verbraucherzentrale-energieberatung.de']],
  ['changing the supplier', ['Lieferantenwechsel', '§ 41c EnWG']],
  ['the product, and whether it is basic supply', ['Dynamisch, außerhalb der Grundversorgung']],
  [
    'tax, concession fee, each levy, grid fees and metering apart',
    [
      'Stromsteuer',
      'Konzessionsabgabe',
      'Offshore-Netzumlage',
      'Aufschlag für besondere Netznutzung',
      'KWKG-Umlage',
      'Netzentgelt, Arbeitspreis',
      'Messstellenbetrieb',
    ],
  ],
  ['how a figure came about', ['davon im Niedertarif: 101,50 kWh', '0,95 ct/kWh netto [1]']],
])('§40 EnWG: it says %s', async (_, parts) => {
  const { text } = await readSample('smartUsage');
  for (const part of parts) expect(text).toContain(part);
});

test('a document made of invented prices says at its head that it is a sample', async () => {
  for (const [name, sample] of sampled(Object.entries(SAMPLES), 6)) {
    const document = sample();
    const facts = { ...document.facts, hasInventedPrices: true };
    const { text } = await read({ ...document, facts });
    expect([name, text.includes('Muster ohne Gültigkeit')]).toEqual([name, true]);
  }
  const { text } = await readSample('smartUsage');
  expect(text).not.toContain('Muster');
});

test('an estimate says that it is one, what it is based on, and what can be done', async () => {
  const { text } = await readSample('estimatedYear');
  expect(text).toContain('Ein Teil des Verbrauchs ist geschätzt');
  expect(text).toContain('vom Netz- oder Messstellenbetreiber geschätzt');
  expect(text).toContain('der erwartete Jahresverbrauch von 2.737,20 kWh');
  expect(text).toContain(
    'verschiedenen Wegen ermittelt: aus Zählerständen: 2.500,20 kWh geschätzt: 237,00 kWh',
  );
  expect(text).toContain('Ihr Zähler misst keine Viertelstunden');
  expect(text).not.toContain('Der Verbrauch jeder Viertelstunde');
});

test('an estimate names the yearly usage that it was made of, and asks for a reading only where one is taken', async () => {
  const { facts, ...document } = estimatedYear();
  const { usage, comparison, supply } = facts;
  if (usage === null || comparison === null) throw new Error('No usage');
  const given = {
    ...{ usage: { ...usage, estimatedFrom: '3500' } },
    comparison: { ...comparison, year: { kwh: '2400', basis: 'measured' as const } },
  };
  const { text } = await read({ ...document, facts: { ...facts, ...given } });
  expect(text).toContain('der erwartete Jahresverbrauch von 3.500,00 kWh');
  expect(text).toContain('Nennen Sie uns einen Zählerstand, so berichtigen wir die Rechnung.');
  const meters = supply.meters.map((meter) => ({ ...meter, type: 'smart' as const }));
  const smart = await read({ ...document, facts: { ...facts, ...given, supply: { ...supply, meters } } });
  expect(smart.text).toContain(
    'Kommen die Werte des Messstellenbetreibers, so berichtigen wir die Rechnung.',
  );
  expect(smart.text).not.toContain('Nennen Sie uns einen Zählerstand');
});

test('an estimate is said to be made of what it was made of, and corrected by what corrects it', async () => {
  const { facts, ...document } = estimatedYear();
  const { usage, supply } = facts;
  const [analog] = supply.meters;
  if (usage === null || analog === undefined) throw new Error('No usage');
  const meters = [analog, { ...analog, type: 'smart' as const }];
  const sentences = {
    year: 'Grundlage ist der erwartete Jahresverbrauch von 3.500,00 kWh',
    operator: 'Wo der Netz- oder Messstellenbetreiber einen Zählerstand geschätzt hat',
    anyReading: 'Nennen Sie uns einen Zählerstand',
    readingOfThatDay: 'Haben Sie den Zähler am Tag dieser Schätzung abgelesen',
    quarterHours: 'Kommen die Werte des Messstellenbetreibers',
  };
  const said = async (given: Pick<UsageFacts, 'estimates' | 'estimatedFrom'>) => {
    const told = { supply: { ...supply, meters }, usage: { ...usage, ...given } };
    const { text } = await read({ ...document, facts: { ...facts, ...told } });
    expect(text).toContain('Auf Wunsch erläutern wir die Schätzung unentgeltlich in Textform.');
    return Object.entries(sentences).flatMap(([name, sentence]) => (text.includes(sentence) ? [name] : []));
  };
  expect(await said({ estimates: ['estimated_reading'] })).toEqual(['operator', 'readingOfThatDay']);
  const estimatedFrom = '3500';
  expect(await said({ estimates: ['expected_usage'], estimatedFrom })).toEqual(['year', 'anyReading']);
  expect(await said({ estimates: ['filled_quarter_hours'], estimatedFrom })).toEqual([
    'year',
    'quarterHours',
  ]);
  const all = ['estimated_reading', 'expected_usage', 'filled_quarter_hours'] as const;
  expect(await said({ estimates: all, estimatedFrom })).toEqual(Object.keys(sentences));
});

test('a bill that closes a year of advance payment names the next instalment', async () => {
  const document = estimatedYear();
  const nextInstalment = { from: '2026-12-01', amount: '95.00' };
  const { text } = await read({ ...document, facts: { ...document.facts, nextInstalment } });
  expect(text).toContain('Ihr nächster Abschlag beträgt 95,00 € im Monat (brutto), ab dem 01.12.2026.');
  expect((await readSample('estimatedYear')).text).not.toContain('nächster Abschlag');
});

test('§42 EnWG: the energy mix stands on a bill with its year, where the supplier gave one', async () => {
  const document = smartUsage();
  const shares = { nuclear: '0', coal: '0.1', gas: '0.125', other_fossil: '0' };
  const own = {
    ...{ year: 2025, co2GramsPerKwh: '150', wasteGramsPerKwh: '0.0001', source: 'Stromkennzeichnung 2025' },
    shares: { ...shares, renewable_funded: '0.575', renewable_other: '0.2' },
  };
  const withMix = { ...document.facts, energyMix: { own, germany: { ...own, year: 2024 } } };
  const { text } = await read({ ...document, facts: withMix });
  expect(text).toContain('Stromkennzeichnung 2025 (§ 42 EnWG)');
  expect(text).toContain('Beispielstrom & Söhne GmbH, 2025');
  expect(text).toContain('Deutschland, 2024');
  expect(text).toMatch(/Erdgas 12,5\s%/);
  expect(text).toContain('150 g/kWh');
  expect((await readSample('smartUsage')).text).not.toContain('Stromkennzeichnung');
});

test('one day or month is called so, also where it is taken back, and several by their plural', async () => {
  const { text: month } = await readSample('feedInCredit');
  expect(month).toMatch(/\s1\sMonat\s/);
  const { lines } = smartUsage();
  const { text } = await readSample('smartUsage');
  expect(text).toMatch(/\s31\sTage\s/);
  for (const quantity of ['1', '-1']) {
    const ofDay = lines.map((line) => (line.unit === 'day' ? { ...line, quantity } : line));
    const { text: day } = await read({ ...smartUsage(), lines: ofDay });
    expect(day).toMatch(/\s.?1\sTag\s/);
    expect(day).not.toMatch(/\d\sTage/);
  }
});

test('prepayments are deducted with their tax, below the sum with tax', async () => {
  const { text } = await readSample('estimatedYear');
  expect(text).toContain('Abzüglich bezahlter Abschläge −720,00');
  expect(text).toContain('Bezahlte Abschläge');
  expect(text.match(/ 60,00 9,58/g)).toHaveLength(12);
});

test('what is fed in is settled by a document that is called Gutschrift and names the tax id of the customer', async () => {
  for (const language of LANGUAGES) {
    const { text } = await readSample('feedInCredit', language);
    expect(text).toContain('Gutschrift');
    expect(text).toContain('DE811569869');
  }
  const { text } = await readSample('feedInCredit');
  expect(text).toContain('Auszahlungsbetrag 34,82 €');
});

test('that no VAT is shown is said where who supplies is a small business, and nowhere else', async () => {
  const { facts, ...credit } = feedInCredit();
  const contract = { ...facts.contract, isTaxExempt: true };
  const { text } = await read({ ...credit, facts: { ...facts, contract } });
  expect(text).toContain('Kein Ausweis von Umsatzsteuer: Der Leistende ist Kleinunternehmer (§ 19 UStG).');
  expect((await readSample('feedInCredit')).text).not.toContain('Kleinunternehmer');
});

test('the number of a tax office is not called a VAT id', async () => {
  const { facts, ...credit } = feedInCredit();
  const recipient = { ...facts.recipient, vatId: '12/345/67890' };
  const { text } = await read({ ...credit, facts: { ...facts, recipient } });
  expect(text).toContain(
    'Leistender: Bäckerei Müller & Söhne OHG, Zoë Gökçe-Wójcik, Steuernummer 12/345/67890',
  );
});

test('a void document names what it takes back, and shows all amounts the other way round', async () => {
  const { text } = await readSample('voidDocument');
  expect(text).toContain('hebt K7P2M9QX-032 vom 12.11.2026 vollständig auf');
  expect(text).toContain('Rechnungsbetrag −100,16 €');
});

test('the same document has the same bytes, whenever it is drawn', async () => {
  const [first, second] = [await drawInvoice(smartUsage()), await drawInvoice(smartUsage())];
  expect(first.equals(second)).toBe(true);
  const later = { ...smartUsage(), issuedAt: '2026-11-13T05:30:00.000Z' };
  expect((await drawInvoice(later)).equals(first)).toBe(false);
});

test('it is made to be kept and to be read aloud: fonts inside, colours defined, PDF/A-3a and PDF/UA-1 claimed', async () => {
  const bytes = (await drawInvoice(smartUsage())).toString('latin1');
  expect(bytes).toMatch(/^%PDF-1\.7/);
  expect(bytes).toContain('<pdfaid:part>3</pdfaid:part>');
  expect(bytes).toContain('<pdfaid:conformance>A</pdfaid:conformance>');
  expect(bytes).toContain('<pdfuaid:part>1</pdfuaid:part>');
  expect(bytes).toContain('/S /GTS_PDFA1');
  /* The heads of the four groups of lines are as wide as their table. */
  expect(bytes.match(/\/ColSpan 4\b/g)).toHaveLength(4);
  expect(bytes.match(/\/FontFile2 /g)).toHaveLength(2);
  expect(bytes).not.toMatch(/\/Subtype \/Type1\b/);
  /* A name with an ampersand would break the metadata. */
  expect(bytes).toContain('Beispielstrom &#38; S');
});

test('letters that the font does not have become a question mark, and letters apart from their marks come together', async () => {
  const { recipient: sample } = factsOfSample();
  /* The dotless letter is met as a part of others first. */
  const first = { ...sample, lastName: 'Ìíîï' };
  await drawInvoice({ ...smartUsage(), facts: factsOfSample({ recipient: first }) });
  const recipient = { ...sample, firstName: 'Łucja 李', lastName: 'Gu\u0308l Ğışık' };
  const { text } = await read({ ...smartUsage(), facts: factsOfSample({ recipient }) });
  expect(text).toContain('Łucja ? Gül Ğışık');
});

test('a file that is attached is inside', async () => {
  const bytes = await drawInvoice(smartUsage(), (pdf, madeAt) => {
    pdf.file(Buffer.from('<a/>'), {
      name: 'a.xml',
      type: 'text/xml',
      creationDate: madeAt,
      modifiedDate: madeAt,
    });
    return { name: 'Test', namespace: 'urn:test#', prefix: 'test', properties: [] };
  });
  expect((await readPdf(bytes)).attachments).toEqual(['a.xml']);
});
