/*
 * What banks take in texts of a payment: Latin letters without marks, digits, and few signs. A name is written in them,
 * as banks recommend, instead of being refused; an identifier must consist of them from the beginning.
 */

const TEXT = /^[A-Za-z0-9/\-?:().,'+ ]+$/;

/** Letters that Unicode does not take apart into a letter and a mark. */
const WRITTEN: ReadonlyMap<string, string> = new Map([
  ...Object.entries({ ä: 'ae', ö: 'oe', ü: 'ue', Ä: 'Ae', Ö: 'Oe', Ü: 'Ue', ß: 'ss', ẞ: 'SS' }),
  ...Object.entries({ æ: 'ae', Æ: 'AE', œ: 'oe', Œ: 'OE', ø: 'o', Ø: 'O', đ: 'd', Đ: 'D', ð: 'd', Ð: 'D' }),
  ...Object.entries({ ł: 'l', Ł: 'L', þ: 'th', Þ: 'Th', ı: 'i', ħ: 'h', Ħ: 'H', ŋ: 'n', Ŋ: 'N' }),
  ...Object.entries({ '&': '+', '*': '.', $: '.', '%': '.', _: '-', '–': '-', '—': '-', '’': "'", '`': "'" }),
]);

const MARKS = /\p{M}/gu;
const SPACES = /\s+/gu;

/** At most so many characters, all of them such as banks take. Characters without a form of their own become a point. */
export function bankText(text: string, charactersMax: number): string {
  let written = '';
  for (const character of text.normalize('NFC')) {
    const plain = WRITTEN.get(character) ?? character.normalize('NFD').replaceAll(MARKS, '');
    for (const part of plain.replaceAll(SPACES, ' ')) written += TEXT.test(part) ? part : '.';
    /* What follows is cut off anyway. */
    if (written.length > 4 * charactersMax) break;
  }
  return written.replaceAll(SPACES, ' ').trim().slice(0, charactersMax).trim();
}

/** Names something to the bank: no slash at either end, no two in a row. */
export function isBankIdentifier(text: string, charactersMax = 35): boolean {
  const slashes = text.startsWith('/') || text.endsWith('/') || text.includes('//');
  return text.length <= charactersMax && TEXT.test(text) && text.trim() === text && !slashes;
}
