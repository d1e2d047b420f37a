/** One member of `Accept`, `Accept-Language` or `Accept-Encoding`, in small letters, as it stands there. */
export interface Weighted {
  name: string;
  /** Of the parameter `q`; 1 where there is none, NaN where it is no number. */
  weight: number;
}

/** RFC 9110, 12.4.2. Splits at characters, because a pattern with white space on both sides takes quadratic time. */
export function weightedNames(header: string): Weighted[] {
  return header
    .toLowerCase()
    .split(',')
    .map((member) => {
      const [name = '', ...parameters] = member.split(';').map((part) => part.trim());
      const quality = parameters.find((parameter) => parameter.startsWith('q='));
      return { name, weight: quality === undefined ? 1 : Number.parseFloat(quality.slice(2)) };
    });
}
