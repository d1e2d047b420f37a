import { type Element, INK, type Sheet, SIZE, TEXT, type TextStyle } from './sheet.ts';

export interface Column {
  readonly title: string;
  /** Part of the table's width. */
  readonly share: number;
  readonly align?: 'left' | 'right';
}

export interface Row {
  readonly cells: readonly string[];
  /** Small, below the first cell: how the row came about. */
  readonly note?: string;
  /** `group`, `part`: the head of rows that follow. `sum`: a line above it. `total`: what it all comes to. */
  readonly kind?: 'group' | 'part' | 'sum' | 'total';
}

interface TableOptions {
  readonly left?: number;
  readonly right?: number;
  readonly size?: number;
  /** False: the first cell of each row says what the row is, and nothing stands above. */
  readonly hasHead?: boolean;
}

const PADDING = { x: 4, y: 2.6 } as const;
const GROUP_GAP = 5;

/**
 * A table that a screen reader reads as one: heads of columns and rows, each cell in its place. A row never breaks; on the
 * next page the heads come again, for the eye only.
 */
export function drawTable(
  sheet: Sheet,
  columns: readonly Column[],
  rows: readonly Row[],
  options: TableOptions = {},
): void {
  const table = new Table(sheet, columns, options);
  const element = sheet.group('Table');
  const [first] = rows;
  const firstHeight = first === undefined ? 0 : table.heightOf(first);
  const hasHead = options.hasHead !== false;
  const headHeight = hasHead ? table.headHeight() : 0;
  sheet.keep(headHeight + firstHeight + (first?.kind === 'group' ? 3 * firstHeight : 0));
  if (hasHead) {
    const head = sheet.group('THead', element);
    table.drawHead(head);
    head.end();
  }
  const body = sheet.group('TBody', element);
  for (const [index, row] of rows.entries()) {
    const next = rows[index + 1];
    const isHead = row.kind === 'group' || row.kind === 'part';
    const together = isHead && next !== undefined ? 2 * table.heightOf(next) : 0;
    const isOnNextPage = sheet.keep(table.heightOf(row) + together);
    if (isOnNextPage && hasHead) sheet.artifact(() => table.drawHeadAgain(), 'Pagination');
    table.drawRow(row, body);
  }
  body.end();
  element.end();
}

class Table {
  readonly #sheet: Sheet;
  readonly #columns: readonly Column[];
  readonly #size: number;
  readonly #left: number;
  readonly #right: number;

  constructor(sheet: Sheet, columns: readonly Column[], { left, right, size }: TableOptions) {
    this.#sheet = sheet;
    this.#columns = columns;
    this.#size = size ?? SIZE.table;
    this.#left = left ?? TEXT.left;
    this.#right = right ?? TEXT.right;
  }

  headHeight(): number {
    const heights = this.#columns.map(({ title }, index) =>
      this.#sheet.heightOf(title, this.#headStyle(index), this.#textWidth(index)),
    );
    return Math.max(...heights) + 2 * PADDING.y;
  }

  heightOf(row: Row): number {
    const style = this.#style(row, 0);
    const heights = row.cells.map((cell, index) =>
      this.#sheet.heightOf(cell, this.#style(row, index), this.#textWidth(index, row)),
    );
    const note = row.note === undefined ? 0 : this.#sheet.heightOf(row.note, NOTE, this.#noteWidth());
    const first = (heights[0] ?? this.#sheet.heightOf(' ', style, 100)) + note;
    return Math.max(first, ...heights) + 2 * PADDING.y + (row.kind === 'group' ? GROUP_GAP : 0);
  }

  drawHead(parent: Element): void {
    const top = this.#sheet.y;
    const height = this.headHeight();
    this.#sheet.artifact(() => this.#shade(top, height));
    const row = this.#sheet.group('TR', parent);
    for (const [index] of this.#columns.entries()) {
      this.#sheet.element('TH', () => this.#writeTitle(index, top), { scope: 'Column' }, row);
    }
    row.end();
    this.#sheet.y = top + height;
  }

  drawHeadAgain(): void {
    const top = this.#sheet.y;
    const height = this.headHeight();
    this.#shade(top, height);
    for (const [index] of this.#columns.entries()) this.#writeTitle(index, top);
    this.#sheet.y = top + height;
  }

  drawRow(row: Row, parent: Element): void {
    const top = this.#sheet.y;
    const bottom = top + this.heightOf(row);
    const isLined = row.kind === 'sum' || row.kind === 'total';
    if (isLined)
      this.#sheet.rule(top, { ...this.#edges(), width: row.kind === 'total' ? 1 : 0.5, color: INK.text });
    const element = this.#sheet.group('TR', parent);
    for (const [index, cell] of row.cells.entries()) {
      const isHead = index === 0;
      const draw = () => this.#writeCell(row, index, cell, top);
      const columns = row.cells.length === 1 ? this.#columns.length : 1;
      const options = isHead ? ({ scope: 'Row', columns } as const) : {};
      this.#sheet.element(isHead ? 'TH' : 'TD', draw, options, element);
    }
    element.end();
    this.#sheet.y = bottom;
    if (!isLined && row.kind !== 'group') this.#sheet.rule(bottom, { ...this.#edges(), color: INK.faint });
  }

  #writeTitle(index: number, top: number): void {
    const title = this.#columns[index]?.title ?? '';
    const box = { x: this.#x(index), y: top + PADDING.y, width: this.#textWidth(index) };
    this.#sheet.write(title, { ...this.#headStyle(index), ...box });
  }

  #writeCell(row: Row, index: number, cell: string, top: number): void {
    const y = top + PADDING.y + (row.kind === 'group' ? GROUP_GAP : 0);
    const box = { x: this.#x(index), y, width: this.#textWidth(index, row) };
    const end = this.#sheet.write(cell, { ...this.#style(row, index), ...box });
    if (index > 0 || row.note === undefined) return;
    this.#sheet.write(row.note, { ...NOTE, x: box.x, y: end, width: this.#noteWidth() });
  }

  #headStyle(index: number): TextStyle {
    return { font: 'bold', size: this.#size, align: this.#columns[index]?.align ?? 'left' };
  }

  #style({ kind }: Row, index: number): TextStyle {
    const size = kind === 'total' ? this.#size + 1.5 : this.#size;
    const align = this.#columns[index]?.align ?? 'left';
    return { font: kind === undefined ? 'regular' : 'bold', size, align };
  }

  /** The name of a group may be as long as the table is wide. */
  #textWidth(index: number, row?: Row): number {
    if (row?.cells.length === 1) return this.#right - this.#left - 2 * PADDING.x;
    return this.#width(index) - 2 * PADDING.x;
  }

  /** Notes reach to the last column. */
  #noteWidth(): number {
    const last = this.#columns.length - 1;
    return this.#x(last) - this.#x(0) - PADDING.x;
  }

  #x(index: number): number {
    const before = this.#columns.slice(0, index).reduce((sum, _, at) => sum + this.#width(at), 0);
    return this.#left + before + PADDING.x;
  }

  #width(index: number): number {
    const whole = this.#columns.reduce((sum, { share }) => sum + share, 0);
    return ((this.#columns[index]?.share ?? 0) / whole) * (this.#right - this.#left);
  }

  #edges() {
    return { from: this.#left, to: this.#right };
  }

  #shade(top: number, height: number): void {
    this.#sheet.pdf.rect(this.#left, top, this.#right - this.#left, height).fill(INK.light);
  }
}

const NOTE: TextStyle = { size: SIZE.note, color: INK.soft };
