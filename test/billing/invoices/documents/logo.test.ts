import { expect, test } from 'vitest';
import { drawInvoice } from '../../../../src/billing/invoices/documents/draw.ts';
import { drawnPng } from '../../../identity/brands/drawn-png.ts';
import { readPdf } from './pdf-reader.ts';
import { smartUsage } from './samples.ts';

const MM = 72 / 25.4;
const logo = { bytes: drawnPng({ width: 400, height: 100 }), width: 400, height: 100 };
const imagesOf = (pdf: Buffer) => pdf.toString('latin1').match(/\/Subtype \/Image/g)?.length ?? 0;

test('a bill has the logo of who bills beside the name, and the same bytes whenever it is drawn', async () => {
  const plain = await drawInvoice(smartUsage());
  const [first, second] = [
    await drawInvoice(smartUsage(), undefined, logo),
    await drawInvoice(smartUsage(), undefined, logo),
  ];
  /* The picture, and how transparent it is. */
  expect([imagesOf(plain), imagesOf(first)]).toEqual([0, 2]);
  expect(second.equals(first)).toBe(true);
  const { text, texts, isMarked } = await readPdf(first);
  expect([text.includes('Beispielstrom & Söhne GmbH'), isMarked]).toEqual([true, true]);
  const head = texts.filter(({ page, y }) => page === 1 && y > (297 - 40) * MM);
  for (const { x, width } of head) expect(x + width).toBeLessThanOrEqual((190 - 50 - 8) * MM + 0.5);
});
