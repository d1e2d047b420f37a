import type { Box, Point } from './layout.ts';

const COLOURS: Readonly<Record<string, string>> = {
  A: '#2563a8',
  W: '#b45309',
  C: '#15803d',
};

/** No font is measured: a letter of names is about this wide in every usual sans-serif. */
export const textWidth = (name: string) => Math.ceil(name.length * 8);

/** Whole tenths: the last bits of a layout are no change of the picture. */
const number = (value: number) => String(Math.round(value * 10) / 10);

const escaped = (words: string) =>
  words.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

type Place = Omit<Box, 'name'>;

const rect = ({ x, y, width, height }: Place, name: string, radius: number, inner = '') =>
  `<rect class="${name}" x="${number(x)}" y="${number(y)}" width="${number(width)}" height="${number(height)}" rx="${radius}"${inner === '' ? '/>' : `>${inner}</rect>`}`;

export const frame = (place: Place) => rect(place, 'frame', 10);

export const box = (place: Place, kind: string, tip: string) =>
  rect(place, `box ${kind}`, 6, `<title>${escaped(tip)}</title>`);

export const text = ({ x, y }: Point, words: string, kind: string) =>
  `<text class="${kind}" x="${number(x)}" y="${number(y)}">${escaped(words)}</text>`;

export const badge = ({ x, y }: Point, letter: string) =>
  `<g><rect x="${number(x)}" y="${number(y)}" width="16" height="16" rx="4" fill="${COLOURS[letter] ?? '#44566c'}"/>` +
  `<text class="letter" x="${number(x + 8)}" y="${number(y + 12)}">${letter}</text></g>`;

/** Through the points, with round corners between them. */
export function line(points: readonly Point[], kind: string): string {
  const [first, ...rest] = points;
  if (first === undefined) return '';
  const last = rest.length - 1;
  const parts = rest.map((point, index) => {
    const next = rest[index + 1];
    if (next === undefined || index === last) return `L${number(point.x)} ${number(point.y)}`;
    const middle = { x: (point.x + next.x) / 2, y: (point.y + next.y) / 2 };
    return `Q${number(point.x)} ${number(point.y)} ${number(middle.x)} ${number(middle.y)}`;
  });
  return `<path class="line ${kind}" d="M${number(first.x)} ${number(first.y)}${parts.join('')}"/>`;
}

const STYLE = `
    text { font: 13px system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif; fill: #1b2733; }
    .title { font-size: 17px; font-weight: 600; }
    .head { font-size: 15px; font-weight: 600; }
    .name { font-weight: 600; }
    .small { font-size: 12px; fill: #44566c; }
    .against { fill: #b3261e; font-weight: 600; }
    .middle, .letter { text-anchor: middle; }
    .letter { font-size: 11px; font-weight: 700; fill: #ffffff; }
    .frame { fill: #ffffff; stroke: #c3cdd8; }
    .box { stroke-width: 1.3; }
    .entry { fill: #eef2f6; stroke: #7d90a6; }
    .resource { fill: #e8f1fb; stroke: #3f7cbf; }
    .room { fill: #fdf3e1; stroke: #c08a2d; }
    .line { fill: none; stroke: #64768c; stroke-width: 1.4; marker-end: url(#arrow); }
    .both { marker-start: url(#arrow); }
    .types { stroke-dasharray: 5 4; }
    .wide { stroke-width: 2.4; }
`;

export function sheet(size: { width: number; height: number }, shapes: readonly string[]): string {
  const [width, height] = [number(size.width), number(Math.ceil(size.height))];
  return `<!-- Written from the imports by scripts/write-architecture.ts: not changed by hand. -->
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="title">
  <title id="title">Folders of src and workers, and who imports whom</title>
  <style>${STYLE}  </style>
  <defs>
    <marker id="arrow" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="6.5" markerHeight="6.5" orient="auto-start-reverse" markerUnits="userSpaceOnUse">
      <path d="M0 0 10 5 0 10z" fill="#64768c"/>
    </marker>
  </defs>
  <rect width="${width}" height="${height}" rx="10" fill="#f6f8fa"/>
${shapes.map((shape) => `  ${shape}`).join('\n')}
</svg>
`;
}
