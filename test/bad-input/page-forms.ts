import fc from 'fast-check';
import type { Page, Visitor } from '../identity/oauth/visitor.ts';
import { encoded, oddBodies, oddHeaders, oddSegments, oddTexts } from './odd-values.ts';
import type { SentRequest } from './random-run.ts';

/* What pages lead to, as a browser finds it: their links and forms. Requests of them are drawn, and then made wrong. */

type Field = readonly [name: string, value: string];

/** A link or a form. */
export interface Target {
  method: 'GET' | 'POST';
  path: string;
  fields: readonly Field[];
  headers: readonly Field[];
}

const PAGES_MAX = 60;

/** Of the pages that links lead to from these, as long as they lie below one of the paths. */
export async function targetsFrom(
  visitor: Visitor,
  origin: string,
  starts: readonly string[],
  below: readonly string[],
): Promise<Target[]> {
  const waiting = [...starts];
  const seen = new Set<string>();
  const targets: Target[] = [];
  for (let url = waiting.shift(); url !== undefined && seen.size < PAGES_MAX; url = waiting.shift()) {
    const [path = ''] = url.split(/[?#]/);
    if (seen.has(path)) continue;
    seen.add(path);
    const page = await visitor.follow(await visitor.open(`${origin}${url}`), origin);
    targets.push(targetOf(visitor, 'GET', url), ...formsOf(visitor, page));
    const links = [...page.text.matchAll(/ href="([^"]+)"/g)].map(([, link = '']) => plain(link));
    waiting.push(...links.filter((link) => below.some((part) => link.startsWith(part))));
  }
  return targets;
}

const plain = (text: string) =>
  text.replaceAll('&amp;', '&').replaceAll('&#39;', "'").replaceAll('&quot;', '"');

/** The forms of a page but for the one that signs out: behind it the others are over. */
export function formsOf(visitor: Visitor, page: Page): Target[] {
  return [...page.text.matchAll(/<form ([^>]*)>(.*?)<\/form>/gs)].flatMap(([, head = '', inside = '']) => {
    const action = plain(/action="([^"]*)"/.exec(head)?.[1] ?? '');
    if (action.endsWith('/sign-out')) return [];
    const inputs = [...inside.matchAll(/<(?:input|select|button) [^>]*>/g)].map(([tag]) => tag);
    const fields = inputs.flatMap((tag): Field[] => {
      const [name, value = ''] = ['name', 'value'].map((word) => RegExp(` ${word}="([^"]*)"`).exec(tag)?.[1]);
      return name === undefined ? [] : [[name, plain(value)]];
    });
    return [targetOf(visitor, /method="post"/.test(head) ? 'POST' : 'GET', action, fields)];
  });
}

function targetOf(
  visitor: Visitor,
  method: Target['method'],
  url: string,
  more: readonly Field[] = [],
): Target {
  const [path = '', query = ''] = (url.split('#')[0] ?? '').split('?');
  const cookie = [...visitor.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  /* What a form of POST has in its address stays there. */
  const isForm = method === 'POST';
  return {
    ...{ method, path: isForm && query !== '' ? `${path}?${query}` : path },
    fields: isForm ? more : [...new URLSearchParams(query), ...more],
    headers: cookie === '' ? [] : [['cookie', cookie]],
  };
}

/** What people type, by the names of fields. */
const TYPED: Readonly<Record<string, readonly string[]>> = {
  day: ['2026-11-30', '2026-12-01', '2027-06-30', '2026-03-29'],
  value: ['1000', '1000,5', '1.000'],
  code: ['123456', 'ABCDEFGH23'],
  email: ['somebody@example.org'],
  reason: ['a test'],
};

export function requestsOf(targets: readonly Target[]): fc.Arbitrary<SentRequest> {
  return fc.constantFrom(...targets).chain(requestsOfTarget);
}

function requestsOfTarget({ method, path, fields, headers }: Target): fc.Arbitrary<SentRequest> {
  const filled = fc.tuple(
    ...fields.map(([name, value]): fc.Arbitrary<Field> => {
      /* A form that was sent before only leads to where it led. */
      if (name === '_form') return fc.uuid({ version: 4 }).map((id) => [name, id] as const);
      return fc
        .constantFrom(value, ...(value === '' ? (TYPED[name] ?? []) : []))
        .map((text) => [name, text] as const);
    }),
  );
  const odd = fc.array(fc.tuple(fc.nat(), fc.nat(3), oddTexts, oddTexts), { maxLength: 2 });
  const address = fc.oneof(
    { weight: 9, arbitrary: fc.constant(path) },
    oddSegments.map((part) => withSegment(path, part)),
  );
  const more = fc.oneof(
    { weight: 6, arbitrary: fc.constant([]) },
    fc.array(oddHeaders, { minLength: 1, maxLength: 1 }),
  );
  const whole = fc.oneof({ weight: 12, arbitrary: fc.constant(null) }, oddBodies);
  return fc.tuple(filled, odd, address, more, whole).map(([good, changes, url, others, instead]) => {
    const text = changes
      .reduce<readonly Field[]>((given, change) => changed(given, change), good)
      .map(([name, value]) => `${encoded(name)}=${encoded(value)}`)
      .join('&');
    const ownHeaders = headers.filter(([name]) => !others.some(([other]) => other === name));
    if (method === 'GET') {
      const query = text === '' ? '' : `${url.includes('?') ? '&' : '?'}${text}`;
      return {
        method,
        url: `${url}${query}`,
        headers: [...ownHeaders, ['accept', 'text/html'], ...others],
        body: null,
      };
    }
    const isTyped = others.some(([name]) => name === 'content-type');
    const type: Field[] = isTyped ? [] : [['content-type', 'application/x-www-form-urlencoded']];
    return { method, url, headers: [...ownHeaders, ...type, ...others], body: instead ?? Buffer.from(text) };
  });
}

type FieldChange = [place: number, kind: number, name: string, value: string];

function changed(fields: readonly Field[], [place, kind, name, value]: FieldChange): readonly Field[] {
  const at = place % Math.max(fields.length, 1);
  const field = fields[at];
  if (field === undefined || kind === 0) return [...fields, [name, value]];
  if (kind === 1) return fields.toSpliced(at, 1);
  return kind === 2 ? [...fields, [field[0], value]] : fields.with(at, [field[0], value]);
}

/** With another last part, or with one more. */
function withSegment(path: string, segment: string): string {
  const parts = (path.split('?')[0] ?? '').split('/');
  return [...(segment.length % 2 === 0 ? parts : parts.slice(0, -1)), segment].join('/');
}
