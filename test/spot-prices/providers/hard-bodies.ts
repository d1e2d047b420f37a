import { parentPort } from 'node:worker_threads';
import { readEnergyForecast } from '../../../src/spot-prices/providers/energyforecast.wire.ts';
import { sources } from '../../../src/spot-prices/providers/index.ts';
import { readNordpool } from '../../../src/spot-prices/providers/nordpool.wire.ts';
import { readSmardIndex } from '../../../src/spot-prices/providers/smard.wire.ts';
import { filled, type HardText, MEBIBYTES } from '../../setup/hard-texts.ts';

/* Runs as a thread of its own: see readHardTexts. */

const EVERY_DAY = { zone: 'DE-LU', days: null } as const;

/** Bodies of no feed: what a pattern, a parser of JSON or one of XML may take long for. */
const SHAPES: Readonly<Record<string, string>> = {
  'escaped quotes without an end': filled('"', '\\"'),
  'escaped quotes in an object': filled('{"a":"', '\\"'),
  'escaped quotes and a lone backslash': filled('"', '\\"', '\\'),
  'backslashes without an end': filled('"', '\\'),
  quotes: filled('', '"'),
  'quotes and backslashes': filled('', '\\"\\'),
  'texts and a wrong number at the end': filled('[', '"a",', 'NaN]'),
  blanks: filled('', ' '),
  'blanks and a letter': filled('', ' ', 'x'),
  'blanks behind colons': filled('', ': '),
  'one colon and blanks': filled('{"a":', ' '),
  'digits behind a colon': filled('{"a":', '1'),
  'decimal commas without an end': filled('{"a":', '1,'),
  signs: filled('[', '+'),
  points: filled('[+1', '.'),
  NaN: filled('[', 'NaN'),
  Infinity: filled('', ',-Infinit'),
  'open lists': filled('', '['),
  'open objects': filled('', '{"a":'),
  'closed lists': filled('[', '[],', '0]'),
  numbers: filled('[', '1,', '0]'),
  names: filled('{', '"a":0,', '"b":0}'),
  'markup signs': filled('', '<'),
  'open elements': filled('', '<a>'),
  'a long name': filled('<', 'a'),
  'a long closing name': filled('<b></', 'a', '>'),
  'empty elements': filled('<a>', '<b/>', '</a>'),
  'attributes without an end': filled('<a ', 'b="" '),
  'different attributes': filled('<a ', 'b=""c="" ', '/>'),
  'name spaces': filled('<a ', 'xmlns:b="c" ', '/>'),
  references: filled('<a>', '&amp;', '</a>'),
  'an open reference': filled('<a>&', 'a'),
  'hyphens in a comment': filled('<a><!--', '-'),
  'brackets in a section': filled('<a><![CDATA[', ']'),
  instructions: filled('<?a ', '?'),
  text: filled('<a>', 'text ', '</a>'),
  'blanks before a document type': filled('', ' ', '<!doctype'),
  'blanks in a document type': filled('<!doctype', ' '),
  'a long text': filled('"', 'a', '"'),
};

/** Whole documents with one long value at a place where the feed has a short one. */
const VALUES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  entsoe: {
    'a long sequence': filled(
      '<Publication_MarketDocument><type>A44</type><TimeSeries><classificationSequence_AttributeInstanceComponent.position>',
      '0',
      '</classificationSequence_AttributeInstanceComponent.position></TimeSeries></Publication_MarketDocument>',
    ),
    'many series': filled(
      '<Publication_MarketDocument><type>A44</type>',
      '<TimeSeries/>',
      '</Publication_MarketDocument>',
    ),
    'many points of one period': filled(
      '<Publication_MarketDocument><type>A44</type><TimeSeries><Period><timeInterval><start>2026-05-16T22:00Z</start><end>2026-05-17T22:00Z</end></timeInterval>',
      '<Point/>',
      '</Period></TimeSeries></Publication_MarketDocument>',
    ),
    reasons: filled(
      '<Acknowledgement_MarketDocument>',
      '<Reason><text>No</text></Reason>',
      '</Acknowledgement_MarketDocument>',
    ),
    'a long instant': filled(
      '<Publication_MarketDocument><type>A44</type><TimeSeries><Period><timeInterval><start>2026-05-16T22:00:00.',
      '0',
      '</start></timeInterval></Period></TimeSeries></Publication_MarketDocument>',
    ),
  },
  smard: {
    'a long number': filled('{"series":[[', '1', ',1]]}'),
    'a long price': filled('{"series":[[1794783600000,1.', '1', ']]}'),
    'many rows': filled('{"series":[', '[1794783600000,94.72],', '[1794784500000,1]]}'),
  },
  'smard index': { 'many files': filled('{"timestamps":[', '1794783600000,', '0]}') },
  'energy-charts': {
    'many equal times': filled(
      '{"unit":"EUR / MWh","deprecated":false,"price":[],"unix_seconds":[',
      '1795215600,',
      '1]}',
    ),
    'long exponents': filled(
      '{"unit":"EUR / MWh","deprecated":false,"unix_seconds":[],"price":[',
      '1e-400,',
      '1]}',
    ),
  },
  awattar: { 'a long address': filled('{"url":"/de/', '/', '","data":[{}]}') },
  energyforecast: {
    'a long instant': filled('{"data":[{"start":"2026-11-19T23:00:00.', '0', 'x"}]}'),
    'a long time of making': filled('{"data":[],"generated_at":"2026-11-19T23:00:00.', '0', '"}'),
    'many rows': filled('[', '{"start":"2026-11-19T23:00:00Z"},', '1]'),
  },
  nordpool: {
    'a long version': filled('{"deliveryDateCET":"2026-11-21","currency":"EUR","version":', '1', '}'),
    'a long instant': filled(
      '{"deliveryDateCET":"2026-11-21","currency":"EUR","version":1,"updatedAt":"2026-11-20T12:00:00.',
      '0',
      '"}',
    ),
    'many areas': filled('{"areaStates":[', '{"state":"Final","areas":[]},'),
  },
};

const READERS: Readonly<Record<string, (body: Uint8Array) => { status: string; reason?: string }>> = {
  entsoe: (body) => sources.entsoe.read(body, EVERY_DAY),
  smard: (body) => sources.smard.read(body, EVERY_DAY),
  'smard index': readSmardIndex,
  'energy-charts': (body) => sources['energy-charts'].read(body, EVERY_DAY),
  awattar: (body) => sources.awattar.read(body, EVERY_DAY),
  energyforecast: (body) => readEnergyForecast(body, EVERY_DAY),
  nordpool: (body) => readNordpool(body, '2026-11-21'),
};

export const READER_NAMES = Object.keys(READERS);

if (parentPort !== null && MEBIBYTES > 0) {
  for (const [reader, read] of Object.entries(READERS)) {
    /* One parser of XML and one of JSON see every shape; the readers behind them see their own documents. */
    const shapes = reader === 'entsoe' || reader === 'smard' ? SHAPES : {};
    for (const [name, text] of Object.entries({ ...shapes, ...VALUES[reader] })) {
      const shape = `${reader}: ${name}`;
      parentPort.postMessage({ shape } satisfies HardText);
      const { status, reason = '' } = read(Buffer.from(text));
      const answer = { status, reasonCharacters: reason.length };
      parentPort.postMessage({ shape, answer } satisfies HardText);
    }
  }
}
