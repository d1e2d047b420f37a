const ESCAPE = '\u001b';
const CONTROL_OR_CHARACTER = new RegExp(`${ESCAPE}\\[[0-9;?]*[A-Za-z]|[\\s\\S]`, 'gu');

/** What a terminal of this width shows: lines that are too long go on in the next one, a return draws a line again. */
export function shownScreen(output: string, columns: number): string[] {
  const rows: string[][] = [[]];
  let column = 0;
  for (const [token] of output.matchAll(CONTROL_OR_CHARACTER)) {
    const row = rows.at(-1) ?? [];
    if (token === '\n') {
      rows.push([]);
    } else if (token === '\r') {
      column = 0;
    } else if (token === `${ESCAPE}[2K`) {
      row.length = 0;
    } else if (token.length === 1 || !token.startsWith(ESCAPE)) {
      if (column === columns) {
        rows.push([token]);
        column = 1;
      } else {
        row[column] = token;
        column += 1;
      }
    }
  }
  return rows.map((row) => Array.from(row, (character) => character ?? ' ').join(''));
}
