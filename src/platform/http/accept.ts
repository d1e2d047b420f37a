/** One member of `Accept`, `Accept-Language` or `Accept-Encoding`, in small letters, as it stands there. */
interface WeightedRange {
  name: string;
  /** The value of the parameter `q`; 1 where there is none, NaN where it is no number. */
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
  const { text, json } = weightsOf(accept, 'text/html', usual === 'page');
  if (text === json) return usual;
  return text > json ? 'page' : 'json';
}

/** The same for a table: JSON, where `Accept` does not give CSV the greater weight. */
export function csvOrJson(accept: string | undefined): 'csv' | 'json' {
  const { text, json } = weightsOf(accept, 'text/csv', false);
  return text > json ? 'csv' : 'json';
}

/** Weights of JSON and of the one type of text that a place has beside it; one of the two stands for any. */
function weightsOf(accept: string | undefined, textType: string, isTextUsual: boolean) {
  const weights = { text: 0, json: 0 };
  for (const { name: type, weight } of weightedNames(accept ?? '*/*')) {
    const form = formOf(type, textType, isTextUsual);
    if (form !== null) weights[form] = Math.max(weights[form], weight || 0);
  }
  return weights;
}

function formOf(type: string, textType: string, isTextUsual: boolean): 'text' | 'json' | null {
  if (type === textType || type === 'text/*') return 'text';
  if (type === 'application/json' || type === 'application/*') return 'json';
  if (type !== '*/*') return null;
  return isTextUsual ? 'text' : 'json';
}
