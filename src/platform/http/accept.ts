/** One member of `Accept`, `Accept-Language` or `Accept-Encoding`, in small letters, as it stands there. */
interface WeightedRange {
  name: string;
  /** Of the parameter `q`; 1 where there is none, NaN where it is no number. */
  weight: number;
}

/** RFC 9110, 12.4.2. Splits at characters, because a pattern with white space on both sides takes quadratic time. */
export function weightedNames(header: string): WeightedRange[] {
  return header
    .toLowerCase()
    .split(',')
    .map((member) => {
      const [name = '', ...parameters] = member.split(';').map((part) => part.trim());
      const quality = parameters.find((parameter) => parameter.startsWith('q='));
      return { name, weight: quality === undefined ? 1 : Number.parseFloat(quality.slice(2)) };
    });
}

/** Whether `Accept-Encoding` takes gzip, by its name or by `*`; a weight of 0 refuses it (RFC 9110, 12.5.3). */
export function acceptsGzip(header: string | string[] | undefined): boolean {
  if (header === undefined) return false;
  const weights = new Map<string, number>();
  for (const { name, weight } of weightedNames(String(header))) weights.set(name, weight);
  return (weights.get('gzip') ?? weights.get('x-gzip') ?? weights.get('*') ?? 0) > 0;
}

/**
 * Whether the caller gets a page or JSON: what `Accept` gives the greater weight, and where it gives none or the same,
 * what this place has for everybody.
 */
export function pageOrJson(accept: string | undefined, usual: 'page' | 'json'): 'page' | 'json' {
  const weights = { page: 0, json: 0 };
  for (const { name: type, weight } of weightedNames(accept ?? '*/*')) {
    const form = FORMS.get(type) ?? (type === '*/*' ? usual : undefined);
    if (form !== undefined) weights[form] = Math.max(weights[form], weight || 0);
  }
  if (weights.page === weights.json) return usual;
  return weights.page > weights.json ? 'page' : 'json';
}

const FORMS: ReadonlyMap<string, 'page' | 'json'> = new Map([
  ['application/json', 'json'],
  ['application/*', 'json'],
  ['text/html', 'page'],
  ['text/*', 'page'],
]);
