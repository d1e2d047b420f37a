import type { EInvoiceFormat, Invoice } from '@e-invoice-eu/core';
import type { ValidateFunction } from 'ajv/dist/2019.js';
import type { Bill, Format } from './bill.ts';
import { type Composed, composed } from './compose.ts';
import { mendCii, mendUbl } from './mends.ts';
import { brokenRules } from './rules.ts';

/** A bill of which no valid e-invoice can be made: with the rules that it breaks. */
export class EInvoiceRefused extends Error {
  constructor(number: string, problems: readonly string[]) {
    super(`no e-invoice of ${number}: ${problems.join('; ')}`);
    this.name = 'EInvoiceRefused';
  }
}

type Library = EInvoiceFormat & { renderXML(content: object): string };

interface Writer {
  readonly make: () => EInvoiceFormat;
  readonly hasForm: ValidateFunction;
}

/** Cross Industry Invoice goes into the PDF, Universal Business Language to whoever asks for an XRechnung. */
const SYNTAXES = { zugferd: 'CII', xrechnung: 'UBL' } as const;

const writers = new Map<Format, Promise<Writer>>();

/** The document as XML in UTF-8. Refused where the bill breaks a rule of the standard. */
export async function eInvoiceXml(bill: Bill, format: Format): Promise<string> {
  const broken = brokenRules(bill, format);
  if (broken.length > 0) throw new EInvoiceRefused(bill.number, broken);
  const { make, hasForm } = await writerOf(format);
  const document = composed(printable(bill), format);
  const { invoice } = document;
  const library = make();
  library.fillInvoiceDefaults(invoice);
  if (!hasForm(invoice)) {
    const problems = (hasForm.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
    throw new EInvoiceRefused(bill.number, problems);
  }
  mendBeforeWriting(library, format === 'zugferd' ? mendCii : mendUbl, document);
  const xml = await library.generate(invoice, { format: SYNTAXES[format], lang: 'de' });
  if (typeof xml !== 'string') throw new TypeError('the e-invoice library returned bytes in place of text');
  return xml;
}

function writerOf(format: Format): Promise<Writer> {
  const known = writers.get(format);
  if (known !== undefined) return known;
  const writer = loadWriter(format);
  writers.set(format, writer);
  return writer;
}

/**
 * Loaded when the first document is written: 21 MB, and half a second. The schema is compiled once, which the library's own
 * service does for each document (172 ms in place of 12).
 */
async function loadWriter(format: Format): Promise<Writer> {
  const [{ FormatFactoryService, invoiceSchema }, { Ajv2019 }] = await Promise.all([
    import('@e-invoice-eu/core'),
    import('ajv/dist/2019.js'),
  ]);
  const silent = { log: () => {}, warn: () => {}, error: () => {} };
  const make = () => new FormatFactoryService().createFormatService(SYNTAXES[format], silent);
  const schema = structuredClone(invoiceSchema);
  make().patchSchema(schema);
  return { make, hasForm: new Ajv2019({ strict: true, allErrors: true }).compile<Invoice>(schema) };
}

/** 2.3.4 calls nobody between making the elements and writing them, so the writing itself is wrapped. */
function mendBeforeWriting(library: EInvoiceFormat, mend: typeof mendCii, document: Composed): void {
  if (!writesElements(library)) throw new TypeError('the e-invoice library writes elements in another way');
  const write = library.renderXML.bind(library);
  library.renderXML = (content) => {
    mend(content, document);
    return write(content);
  };
}

const writesElements = (library: EInvoiceFormat): library is Library =>
  'renderXML' in library && typeof library.renderXML === 'function';

/** What XML cannot carry, a control character in a name for instance, becomes a space. */
function printable<Value>(value: Value): Value {
  return JSON.parse(JSON.stringify(value), (_key, part: unknown) =>
    typeof part === 'string'
      ? part.replace(/[^\t\n\r\x20-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, ' ')
      : part,
  );
}
