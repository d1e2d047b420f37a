import type { Json } from '../routes/table/row.ts';

export type Path = readonly (string | number)[];

export interface Slot {
  path: Path;
  value: unknown;
}

/** Every value inside a body, with its path: objects and lists as well as what they end in. */
export function slotsOf(body: unknown, path: Path = []): Slot[] {
  if (typeof body !== 'object' || body === null) return [];
  const members: [string | number, unknown][] = Array.isArray(body)
    ? body.map((value, index) => [index, value])
    : Object.entries(body);
  return members.flatMap(([key, value]) => {
    const at = [...path, key];
    return [{ path: at, value }, ...slotsOf(value, at)];
  });
}

/** The body with another value at one place; `undefined` takes it away. */
export function withValue(body: Json, path: Path, value: unknown): Json {
  const copy = structuredClone(body);
  const last = path.at(-1) ?? '';
  const parent = path.slice(0, -1).reduce<unknown>((part, key) => (part as Json)[key], copy);
  if (value !== undefined) (parent as Json)[last] = value;
  else if (Array.isArray(parent)) parent.splice(Number(last), 1);
  else delete (parent as Json)[last];
  return copy;
}

const MARK = 'the marked place';

/** The body as bytes, with these in the place of one value: also what no JSON value can say. */
export function withBytes(body: Json, path: Path, bytes: string | Buffer): Buffer {
  const [before = '', after = ''] = JSON.stringify(withValue(body, path, MARK)).split(JSON.stringify(MARK));
  return Buffer.concat([Buffer.from(before), Buffer.from(bytes), Buffer.from(after)]);
}

/** The text of a body with one more member in front. */
export function withMember(text: string, member: string | Buffer): Buffer {
  const rest = text === '{}' ? '}' : `,${text.slice(1)}`;
  return Buffer.concat([Buffer.from('{'), Buffer.from(member), Buffer.from(rest)]);
}
