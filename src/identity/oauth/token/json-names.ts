const QUOTE = '"';
const BACKSLASH = '\\';

/**
 * The names of the object's own members, as often as they are written: JSON.parse tells of the last one only. One pass
 * over a text that JSON.parse has taken.
 */
export function memberNames(text: string): string[] {
  const names: string[] = [];
  let depth = 0;
  let isName = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (character === QUOTE) {
      const end = stringEnd(text, at);
      if (isName) names.push(JSON.parse(text.slice(at, end + 1)));
      isName = false;
      at = end;
    } else if (character === '{' || character === '[') {
      depth += 1;
      isName = depth === 1;
    } else if (character === '}' || character === ']') {
      depth -= 1;
    } else if (character === ',') {
      isName = depth === 1;
    }
  }
  return names;
}

/** Where the string that begins here has its closing quote. */
function stringEnd(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text[at] !== QUOTE) at += text[at] === BACKSLASH ? 2 : 1;
  return at;
}
