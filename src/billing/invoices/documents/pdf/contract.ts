import { addDays } from '../../../../platform/time/berlin-calendar.ts';
import { ENERGY_SOURCES } from '../../../../tariffs/reference-data/codes.ts';
import type { EnergyMix, OperatorFacts } from '../../calculate/fact-types.ts';
import { filled } from '../texts/texts.ts';
import { addressLines, companyLines, taxIds, websiteOf } from './letter.ts';
import { type Page, SPACE } from './page.ts';
import { INK, SIZE } from './sheet.ts';
import { drawSectionHead } from './summary.ts';
import { drawTable } from './table.ts';

/** §40(2) no. 1 to 5 and 12 EnWG: who supplies where, on which terms, and until when at least. */
export function drawContract(page: Page): void {
  const { sheet, texts } = page;
  drawSectionHead(page, texts.contract.title, 80);
  const rows = [...placeRows(page), ...termRows(page), supplierRow(page)];
  drawTable(
    sheet,
    [
      { title: '', share: 1.2 },
      { title: '', share: 2.6 },
    ],
    rows.map((cells) => ({ cells })),
    { hasHead: false },
  );
}

type Cells = readonly [name: string, value: string];

function placeRows({ document, texts, format }: Page): Cells[] {
  const { supply, contract } = document.facts;
  const { address, malo, melo, meters, gridOperator, meteringOperator } = supply;
  const names = texts.contract;
  const meterTexts = meters.map(({ number, from }, index) =>
    index === 0 ? number : `${number} (${filled(texts.detail.validFrom, { day: format.day(from) })})`,
  );
  const isBasic = contract.isBasicSupply ? names.basic : names.notBasic;
  const rows: (readonly [name: string, value: string | null])[] = [
    [names.plan, contract.type === 'consumption' ? `${contract.planName}, ${isBasic}` : contract.planName],
    [names.place, address && addressLines(address).join(', ')],
    [names.malo, malo],
    [names.melo, melo],
    [names.meters, meterTexts.join(', ')],
    [names.gridOperator, operatorText(names.code, gridOperator)],
    [names.meteringOperator, operatorText(names.code, meteringOperator)],
  ];
  return rows.flatMap(([name, value]) => (value === null || value === '' ? [] : [[name, value] as const]));
}

function operatorText(code: string, operator: OperatorFacts | null): string | null {
  if (operator === null) return null;
  return operator.code === null
    ? operator.name
    : `${operator.name}, ${filled(code, { code: operator.code })}`;
}

function termRows({ document, texts, format, isFeedIn }: Page): Cells[] {
  const { contract } = document.facts;
  const names = texts.contract;
  const fee = format.euros(contract.baseFeeNet);
  const margin = format.number(contract.marginCtNet, { min: 2, max: 4 });
  const first = format.day(contract.first);
  const term =
    contract.end === null
      ? filled(names.running, { first })
      : filled(names.ended, { first, last: format.day(addDays(contract.end, -1)) });
  const { noticeMonths, nextTerminationOn } = contract;
  const months = noticeMonths === 1 ? names.months.single : names.months.many;
  return [
    [names.prices, filled(isFeedIn ? names.feedInFee : names.pricesText, { fee, margin })],
    [names.term, term],
    [names.notice, filled(months, { count: String(noticeMonths) })],
    ...(nextTerminationOn === null ? [] : [[names.next, format.day(nextTerminationOn)] as const]),
  ];
}

/** The foot of the page says it for the eye; a screen reader leaves feet of pages out. */
function supplierRow({ document, texts }: Page): Cells {
  const { issuer } = document.facts;
  const lines = [
    [issuer.name, ...addressLines(issuer.address)].join(', '),
    ...companyLines(issuer, texts),
    [filled(texts.footer.code, { code: issuer.supplierCode }), ...taxIds(issuer, texts)].join(', '),
    [issuer.contactName, issuer.phone, issuer.email, ...websiteOf(issuer)].join(', '),
  ];
  return [texts.contract.supplier, lines.join('\n')];
}

/** §42 EnWG: what the supplier's electricity was made of, beside that of the country. */
export function drawEnergyMix(page: Page): void {
  const { sheet, document, texts, format } = page;
  const { energyMix, issuer } = document.facts;
  if (energyMix === undefined) return;
  const { own, germany } = energyMix;
  const mixes = germany === null ? [own] : [own, germany];
  const year = (mix: EnergyMix) => String(mix.year);
  const row = (name: string, value: (mix: EnergyMix) => string) => ({ cells: [name, ...mixes.map(value)] });
  const grams = (value: string) => `${format.number(value, { min: 0, max: 5 })}\u00a0g/kWh`;
  drawSectionHead(page, filled(texts.mix.title, { year: year(own) }), 150);
  drawTable(
    sheet,
    [
      { title: texts.mix.made, share: 3 },
      { title: `${issuer.name}, ${year(own)}`, share: 2, align: 'right' },
      ...(germany === null
        ? []
        : [{ title: `${texts.mix.germany}, ${year(germany)}`, share: 2, align: 'right' as const }]),
    ],
    [
      ...ENERGY_SOURCES.map((of) => row(texts.mix[of], ({ shares }) => format.percent(shares[of]))),
      row(texts.mix.co2, ({ co2GramsPerKwh }) => grams(co2GramsPerKwh)),
      row(texts.mix.waste, ({ wasteGramsPerKwh }) => grams(wasteGramsPerKwh)),
    ],
  );
  sheet.gap(2);
  const sources = [...new Set(mixes.map(({ source }) => source))].join('; ');
  sheet.paragraph(sources, { size: SIZE.small, color: INK.soft });
}

/** §40(2) no. 9 to 11 EnWG. */
export function drawRights(page: Page): void {
  const { sheet, document, texts } = page;
  const { email, phone } = document.facts.issuer;
  const { rights } = texts;
  drawSectionHead(page, rights.title, 80);
  const parts = [
    [rights.complaints, filled(rights.complaintsText, { email, phone })],
    [rights.agency, rights.agencyText],
    [rights.advice, rights.adviceText],
    [rights.switching, rights.switchingText],
  ] as const;
  for (const [name, text] of parts) {
    sheet.heading(3, name, { size: SIZE.table, font: 'bold' }, SPACE.paragraph, 40);
    sheet.paragraph(text, { size: SIZE.table });
  }
}
