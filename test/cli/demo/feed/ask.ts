import { get } from 'node:http';
import { buffer } from 'node:stream/consumers';
import type { Feed } from '../../../../src/cli/demo/feed/server.ts';

export interface FeedAnswer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  text: string;
}

/** Asks the feed with exactly these headers and no others. */
export function ask(
  feed: Feed,
  path: string,
  headers: Record<string, string> = { 'user-agent': 'test' },
): Promise<FeedAnswer> {
  return new Promise((resolve, reject) => {
    /* A connection of its own: one that was kept may be closed while a busy machine is on its way to it. */
    get(`${feed.url}${path}`, { headers, agent: false }, (response) => {
      buffer(response).then(
        (body) =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            text: body.toString('utf8'),
          }),
        reject,
      );
    }).on('error', reject);
  });
}

export async function askJson<Body>(feed: Feed, path: string): Promise<Body> {
  const { status, text } = await ask(feed, path);
  if (status !== 200) throw new Error(`${status}: ${text}`);
  return JSON.parse(text) as Body;
}

const SEQUENCE = 'classificationSequence_AttributeInstanceComponent.position';

/** Prices of ENTSO-E for the UTC times `202611202300` to `202611212300`; only sequence 1 unless said otherwise. */
export function entsoePath(from: string, to: string, sequence: 1 | 2 | null = 1, more = ''): string {
  const domain = '10Y1001A1001A82H';
  const only = sequence === null ? '' : `&${SEQUENCE}=${sequence}`;
  return `/entsoe/api?securityToken=demo&documentType=A44&in_Domain=${domain}&out_Domain=${domain}&contract_MarketAgreement.type=A01&periodStart=${from}&periodEnd=${to}${only}${more}`;
}

export interface ReadSeries {
  sequence: number;
  curve: string;
  periods: { start: string; end: string; minutes: number; points: [position: number, amount: string][] }[];
}

/** Reads a document of the feed by the look of its lines. */
export function seriesIn(text: string): ReadSeries[] {
  return parts(text, 'TimeSeries').map((series) => ({
    sequence: Number(first(series, SEQUENCE)),
    curve: first(series, 'curveType'),
    periods: parts(series, 'Period').map((period) => ({
      start: first(period, 'start'),
      end: first(period, 'end'),
      minutes: Number(/PT(\d+)M/.exec(first(period, 'resolution'))?.[1]),
      points: parts(period, 'Point').map((point) => [
        Number(first(point, 'position')),
        first(point, 'price.amount'),
      ]),
    })),
  }));
}

/** Cents of every interval of a series whose omitted points are repeats. */
export function expandedCents(series: ReadSeries | undefined): number[] {
  return (series?.periods ?? []).flatMap(({ start, end, minutes, points }) => {
    const count = (Date.parse(end) - Date.parse(start)) / (minutes * 60_000);
    const given = new Map(points);
    let current = Number.NaN;
    return Array.from({ length: count }, (_, index) => {
      const amount = given.get(index + 1);
      if (amount !== undefined) current = Math.round(Number(amount) * 100);
      return current;
    });
  });
}

function parts(text: string, name: string): string[] {
  return [...text.matchAll(new RegExp(`<${name}>([\\s\\S]*?)</${name}>`, 'g'))].map(
    (match) => match[1] ?? '',
  );
}

function first(text: string, name: string): string {
  return parts(text, name)[0] ?? '';
}
