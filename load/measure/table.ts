/** Numbers stand at the right of their column, names at the left. */
export function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = headings.map((heading, column) =>
    Math.max(heading.length, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  const isLast = (column: number) => column === headings.length - 1;
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, column) =>
        /^[\d≥≤]/.test(cell) && column > 0 && !isLast(column)
          ? cell.padStart(widths[column] ?? 0)
          : cell.padEnd(widths[column] ?? 0),
      )
      .join('  ')
      .trimEnd();
  return [headings, ...rows].map(line).join('\n');
}
