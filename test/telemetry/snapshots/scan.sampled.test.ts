import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createAssetMap } from '../../../src/telemetry/snapshots/asset-map.ts';
import { MEASURED } from '../../../src/telemetry/snapshots/fields.ts';
import { shapeEntriesOf, snapshotRow } from '../../../src/telemetry/snapshots/schema.ts';
import { runs } from '../../setup/tier.ts';
import { assetRows } from './asset-maps.ts';
import { contentOf, expectSame, judged, scanned } from './both-readers.ts';
import { jsonRow, likelyRow } from './random-rows.ts';

const HOUSEHOLD = 'dom_1';
const SPELLINGS: Readonly<Record<string, (body: unknown) => string>> = {
  'without white space': (body) => JSON.stringify(body),
  'as Python writes it': (body) =>
    JSON.stringify(body, null, 1)
      .replace(/\n\s*/g, ' ')
      .replace(/([[{]) /g, '$1')
      .replace(/ ([\]}])/g, '$1'),
  'in lines': (body) => JSON.stringify(body, null, 2),
  'with tabs and carriage returns': (body) =>
    `\r\n${JSON.stringify(body, null, '\t').replaceAll('\n', '\r\n')}\r\n`,
};
const spelling = fc.constantFrom(...Object.values(SPELLINGS));

const goodRows = assetRows()
  .filter(({ type }) => type !== 'heat_pump')
  .flatMap(({ id, external_id, type }) =>
    [0, 1, 2].map((second) => ({
      ...(second === 1 ? { external_id } : { asset: id }),
      timestamp: `2026-05-01T00:00:0${second}.000Z`,
      power_kw: type === 'solar' ? -1.25 : 1.25,
      ...(type === 'battery' && { state_of_charge: 0.5 }),
      ...(type === 'wallbox' && { connected: second === 0, vehicle_state_of_charge: 0.30000000000000004 }),
    })),
  );

describe('a batch read from its bytes', () => {
  test.each(Object.entries(SPELLINGS))('is taken when it is written %s', (_name, write) => {
    const body = { household: HOUSEHOLD, snapshots: goodRows };
    const bytes = Buffer.from(write(body));
    expect(JSON.parse(bytes.toString())).toEqual(body);
    expect(expectSame(bytes)).toBe(true);
  });

  test('is what the parsed rows give, whatever the rows', () => {
    let taken = 0;
    fc.assert(
      fc.property(
        fc.array(fc.oneof({ weight: 30, arbitrary: likelyRow }, jsonRow), { minLength: 1, maxLength: 6 }),
        spelling,
        (rows, write) => {
          if (expectSame(Buffer.from(write({ household: HOUSEHOLD, snapshots: rows })))) taken += 1;
        },
      ),
      { numRuns: runs(500) },
    );
    expect(taken).toBeGreaterThan(runs(10));
  });

  test('is refused or the same when any of its bytes is another one', () => {
    fc.assert(
      fc.property(
        spelling,
        fc.array(
          fc.tuple(
            fc.nat(),
            fc.oneof(fc.constantFrom(...Buffer.from('"\\{}[],:0123456789-+.eE \n\ttrufalsnZT')), fc.nat(255)),
            fc.constantFrom('set', 'insert', 'remove', 'cut'),
          ),
          { minLength: 1, maxLength: 3 },
        ),
        (write, changes) => {
          let bytes = Buffer.from(write({ household: HOUSEHOLD, snapshots: goodRows.slice(0, 6) }));
          for (const [place, byte, change] of changes) {
            const at = place % bytes.length;
            const kept = change === 'set' || change === 'remove' ? at + 1 : at;
            const between = change === 'set' || change === 'insert' ? Buffer.of(byte) : Buffer.alloc(0);
            bytes = Buffer.concat([
              bytes.subarray(0, at),
              between,
              change === 'cut' ? Buffer.alloc(0) : bytes.subarray(kept),
            ]);
          }
          expectSame(bytes);
        },
      ),
      { numRuns: runs(2_000) },
    );
  });

  test.each([
    [
      'a key that is written twice',
      '{"asset":"ast_solar","timestamp":"2026-05-01T00:00:00Z","power_kw":-1,"power_kw":-2}',
    ],
    [
      'an instant that is written twice',
      '{"asset":"ast_solar","timestamp":"2026-05-01T00:00:00Z","timestamp":"2026-05-01T00:00:01Z","power_kw":-1}',
    ],
    [
      'both names',
      '{"asset":"ast_solar","external_id":"my solar","timestamp":"2026-05-01T00:00:00Z","power_kw":-1}',
    ],
    ['an escape in a key', '{"asset":"ast_solar","timestamp":"2026-05-01T00:00:00Z","power\\u005fkw":-1}'],
    ['an escape in a name', '{"asset":"ast\\u005fsolar","timestamp":"2026-05-01T00:00:00Z","power_kw":-1}'],
    ['null', '{"asset":"ast_solar","timestamp":"2026-05-01T00:00:00Z","power_kw":null}'],
    [
      'a comma behind the last member',
      '{"asset":"ast_solar","timestamp":"2026-05-01T00:00:00Z","power_kw":-1,}',
    ],
    ['no member', '{}'],
    ['no instant', '{"asset":"ast_solar","power_kw":-1}'],
    ['no value', '{"asset":"ast_solar","timestamp":"2026-05-01T00:00:00Z"}'],
    ['no name', '{"timestamp":"2026-05-01T00:00:00Z","power_kw":-1}'],
    [
      'more than the rating allows',
      '{"asset":"ast_solar","timestamp":"2026-05-01T00:00:00Z","power_kw":-12.001}',
    ],
    [
      'a field of another type',
      '{"asset":"ast_solar","timestamp":"2026-05-01T00:00:00Z","state_of_charge":0.5}',
    ],
  ])('leaves %s to the parser', (_name, row) => {
    const good = '{"asset":"ast_household_net","timestamp":"2026-05-01T00:00:00Z","power_kw":1}';
    expect(scanned(Buffer.from(`{"household":"${HOUSEHOLD}","snapshots":[${good}]}`))).not.toBeNull();
    expect(scanned(Buffer.from(`{"household":"${HOUSEHOLD}","snapshots":[${good},${row}]}`))).toBeNull();
  });

  test.each([
    ['no rows', '[]}'],
    ['a comma behind the last row', '[ROW,]}'],
    ['something behind the rows', '[ROW],"more":1}'],
    ['something behind the body', '[ROW]}x'],
    ['no end', '[ROW]'],
  ])('leaves %s to the parser', (_name, rest) => {
    const row = JSON.stringify(goodRows[0]);
    expect(
      scanned(Buffer.from(`{"household":"${HOUSEHOLD}","snapshots":${rest.replace('ROW', row)}`)),
    ).toBeNull();
  });

  test('leaves 10,001 rows to the parser and takes 10,000', () => {
    const rowAt = (index: number) => ({
      asset: 'ast_household_net',
      timestamp: new Date(Date.UTC(2026, 4, 1) + index * 1_000).toISOString(),
      power_kw: index / 1_000,
    });
    const bodyOf = (count: number) =>
      Buffer.from(
        JSON.stringify({
          household: HOUSEHOLD,
          snapshots: Array.from({ length: count }, (_, index) => rowAt(index)),
        }),
      );
    expect(expectSame(bodyOf(10_000))).toBe(true);
    expect(scanned(bodyOf(10_001))).toBeNull();
  });

  test('an external id that looks like an escape, or is not ASCII, means what JSON says', () => {
    const external = [
      'back\\u0041slash',
      'caf\u00e9',
      'caf\u00c3\u00a9',
      'x',
      '"',
      'backAslash',
      'ast_solar',
    ];
    const assets = createAssetMap(
      assetRows().map((row, index) => ({ ...row, type: 'inverter', external_id: external[index] ?? null })),
    );
    for (const name of external) {
      const row = (text: string, second: number) =>
        `{"external_id":${text},"timestamp":"2026-05-01T00:00:0${second}Z","power_kw":1}`;
      const bytes = Buffer.from(
        `{"household":"${HOUSEHOLD}","snapshots":[${row(JSON.stringify(name), 0)},${row(JSON.stringify(name), 1)}]}`,
      );
      expect(judged(bytes, assets), name).not.toBeNull();
      expectSame(bytes, assets);
    }
    const unescaped = Buffer.from(
      `{"household":"${HOUSEHOLD}","snapshots":[{"external_id":"back\\u0041slash","timestamp":"2026-05-01T00:00:00Z","power_kw":1}]}`,
    );
    expect(judged(unescaped, assets)?.encoded.runs[0]?.key).toBe(6);
    expectSame(unescaped, assets);
  });

  test('an id and an external id of the same letters are two names', () => {
    const assets = createAssetMap(
      assetRows().map((row, index) => ({
        ...row,
        type: 'inverter',
        external_id: assetRows()[(index + 1) % 7]?.id ?? null,
      })),
    );
    const rows = Array.from({ length: 60 }, (_, index) => ({
      [index % 2 === 0 ? 'asset' : 'external_id']:
        `ast_${['solar', 'battery', 'solar', 'inverter'][index % 4]}`,
      timestamp: `2026-05-01T00:00:${String(index).padStart(2, '0')}Z`,
      power_kw: index / 10,
    }));
    expect(expectSame(Buffer.from(JSON.stringify({ household: HOUSEHOLD, snapshots: rows })), assets)).toBe(
      true,
    );
  });

  test('a household without assets takes nothing', () => {
    const bytes = Buffer.from(JSON.stringify({ household: HOUSEHOLD, snapshots: goodRows }));
    expect(scanned(bytes, createAssetMap([]))).toBeNull();
  });
});

describe('a row read from its bytes', () => {
  const row = fc.oneof(jsonRow, likelyRow);
  const bodyOf = (snapshots: readonly unknown[]) =>
    Buffer.from(JSON.stringify({ household: HOUSEHOLD, snapshots }));

  test('is taken exactly if the schema and the rules find nothing wrong with it, with the same bytes', () => {
    let taken = 0;
    fc.assert(
      fc.property(row, (sent) => {
        const bytes = bodyOf([sent]);
        const fast = contentOf(scanned(bytes));
        expect(fast, bytes.toString()).toEqual(contentOf(judged(bytes)));
        if (fast !== null) taken += 1;
      }),
      { numRuns: runs(1_000) },
    );
    expect(taken).toBeGreaterThan(runs(40));
  });

  test('is never one that plain Zod, whose schema the interface describes, refuses', () => {
    fc.assert(
      fc.property(row, (sent) => {
        const isAccepted = snapshotRow.safeParse(sent).success;
        if (scanned(bodyOf([sent])) !== null) expect(isAccepted).toBe(true);
        if (!isAccepted) expect(shapeEntriesOf([sent])).not.toEqual([[]]);
      }),
      { numRuns: runs(500) },
    );
  });

  test('knows every field of the schema', () => {
    expect(Object.keys(snapshotRow.shape)).toEqual(['asset', 'external_id', 'timestamp', ...MEASURED.names]);
  });
});
