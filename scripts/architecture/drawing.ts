import { type Arrow, essentialArrows, type Folders } from './folders.ts';
import { type Arrangement, arrange, type Box, type Line, type Point } from './layout.ts';
import { badge, box, frame, line, sheet, text, textWidth } from './shapes.ts';

/** What puts the service together, from left to right. Who imports a district is a letter in its box, not an arrow. */
const ENTRIES = [
  { name: 'main.ts', letter: '', says: 'starts the API' },
  { name: 'api', letter: 'A', says: 'composes the API; versions' },
  { name: 'cli', letter: 'C', says: 'commands, npm start' },
  { name: 'workers', letter: 'W', says: 'jobs, schedules' },
] as const;

/** What everything may import. */
const GROUND = ['platform', 'config', 'scripts'];

/** It grows with what stands side by side. */
const WIDTH_MIN = 1000;
const MARGIN = 20;
const PADDING = 16;
/** Of what stands beside the rooms of the platform. */
const GROUND_WIDTH = 130;

const SPACING = { betweenBoxes: 12, betweenLevels: 36 };

const isEntry = (name: string) => ENTRIES.some((entry) => entry.name === name);
const isGround = (name: string) => GROUND.includes(name);
const isResource = (name: string) => !isEntry(name) && !isGround(name);

/** The whole picture. Equal imports give equal bytes. */
export function architectureDrawing(folders: Folders, rooms: Folders): string {
  for (const name of [...ENTRIES.map((entry) => entry.name), ...GROUND])
    if (!folders.names.includes(name)) throw new Error(`${name} of the drawing is no folder or file of src.`);
  const arranged = arrangedResources(folders);
  const inside = arrangedRooms(rooms);
  const widest = Math.max(arranged.width, inside.width + PADDING + GROUND_WIDTH);
  const width = Math.max(WIDTH_MIN, widest + 2 * (MARGIN + PADDING));
  const entries = drawnEntries(folders, 54, width);
  const resources = drawnResources(folders, arranged, entries.bottom + 34, width);
  const platform = drawnPlatform(folders, rooms.arrows, inside, [resources.bottom + 34, width]);
  const between = [entries, resources].map(({ bottom }) =>
    line([at(width / 2, bottom), at(width / 2, bottom + 34)], 'wide'),
  );
  return sheet({ width, height: platform.bottom + 62 }, [
    text(at(MARGIN, 34), 'Folders of src and workers, and who imports whom', 'title'),
    ...between,
    ...entries.shapes,
    ...resources.shapes,
    ...platform.shapes,
    ...legend(platform.bottom + 26, upwardArrows(folders.arrows)),
  ]);
}

interface Part {
  shapes: readonly string[];
  bottom: number;
}

const at = (x: number, y: number): Point => ({ x, y });

function importedBy(name: string, arrows: readonly Arrow[]): string[] {
  return arrows
    .filter(({ from }) => from === name)
    .map(({ to, typeOnly }) => (typeOnly ? `${to} (types)` : to));
}

/** Shown by browsers over a box when the file itself is open. */
function tipOf(name: string, arrows: readonly Arrow[]): string {
  const all = importedBy(name, arrows);
  return all.length === 0 ? `${name} imports no other folder` : `${name} imports ${all.join(', ')}`;
}

function drawnEntries({ arrows }: Folders, frameTop: number, sheetWidth: number): Part {
  const gap = 24;
  const top = frameTop + 44;
  const width = (sheetWidth - 2 * (MARGIN + PADDING) - gap * (ENTRIES.length - 1)) / ENTRIES.length;
  const height = 52;
  const bottom = top + height + 18;
  const places = new Map(
    ENTRIES.map(({ name }, index) => [name as string, at(MARGIN + PADDING + index * (width + gap), top)]),
  );
  const shapes = ENTRIES.flatMap(({ name, letter, says }) => {
    const { x, y } = places.get(name) ?? at(0, 0);
    return [
      box({ x, y, width, height }, 'entry', tipOf(name, arrows)),
      text(at(x + 12, y + 22), name, 'name'),
      text(at(x + 12, y + 41), says, 'small'),
      ...(letter === '' ? [] : [badge(at(x + width - 26, y + 9), letter)]),
    ];
  });
  const own = essentialArrows(arrows.filter(({ from, to }) => isEntry(from) && isEntry(to)));
  const lines = own.map((arrow) => {
    const [from, to] = [places.get(arrow.from) ?? at(0, 0), places.get(arrow.to) ?? at(0, 0)];
    const right = from.x < to.x;
    const y = top + height / 2;
    return line([at(right ? from.x + width : from.x, y), at(right ? to.x : to.x + width, y)], kindOf(arrow));
  });
  return {
    shapes: [
      ...framed('Entries', 'what starts, and what names every part', [frameTop, bottom], sheetWidth),
      ...shapes,
      ...lines,
    ],
    bottom,
  };
}

const kindOf = ({ typeOnly }: Arrow) => (typeOnly ? 'types' : 'way');

const lettersOf = (name: string, arrows: readonly Arrow[]): string[] =>
  ENTRIES.filter((entry) => arrows.some(({ from, to }) => from === entry.name && to === name)).map(
    ({ letter }) => letter,
  );

function arrangedResources({ names, arrows }: Folders): Arrangement {
  const own = arrows.filter(({ from, to }) => isResource(from) && isResource(to));
  const sized = names.filter(isResource).map((name) => {
    const badges = lettersOf(name, arrows).length * 18;
    return { name, width: Math.max(textWidth(name), badges) + 16, height: badges === 0 ? 30 : 48 };
  });
  return arrange(sized, essentialArrows(own), { ...SPACING, direction: 'TB' });
}

function drawnResources({ arrows }: Folders, arranged: Arrangement, top: number, width: number): Part {
  const placed = moved(arranged, (width - arranged.width) / 2, top + 44);
  const bottom = top + 44 + arranged.height + 18;
  const boxes = placed.boxes.flatMap((room) => [
    box(room, 'resource', tipOf(room.name, arrows)),
    text(at(room.x + room.width / 2, room.y + 20), room.name, 'name middle'),
    ...lettersOf(room.name, arrows).map((letter, index, all) =>
      badge(at(room.x + room.width / 2 - all.length * 9 + index * 18 + 1, room.y + 27), letter),
    ),
  ]);
  const says = 'a folder for each noun: schema, routes, service, queries, jobs';
  const frames = framed('Districts', says, [top, bottom], width);
  return { shapes: [...frames, ...placed.lines.map(drawnLine), ...boxes], bottom };
}

/** A frame with its name and what it holds. */
const framed = (
  head: string,
  says: string,
  [top, bottom]: readonly [number, number],
  width: number,
): string[] => [
  frame({ x: MARGIN, y: top, width: width - 2 * MARGIN, height: bottom - top }),
  text(at(MARGIN + PADDING, top + 26), head, 'head'),
  text(at(MARGIN + 120, top + 26), says, 'small'),
];

function moved({ boxes, lines, ...size }: Arrangement, x: number, y: number): Arrangement {
  return {
    ...size,
    boxes: boxes.map((room): Box => ({ ...room, x: room.x + x, y: room.y + y })),
    lines: lines.map((line): Line => ({ ...line, points: line.points.map((p) => at(p.x + x, p.y + y)) })),
  };
}

const drawnLine = ({ points, arrow, bothWays }: Line) =>
  line(points, bothWays ? `${kindOf(arrow)} both` : kindOf(arrow));

function arrangedRooms({ names, arrows }: Folders): Arrangement {
  const sized = names.map((name) => ({ name, width: textWidth(name) + 24, height: 30 }));
  return arrange(sized, essentialArrows(arrows), { ...SPACING, direction: 'LR' });
}

function drawnPlatform(
  { names, arrows }: Folders,
  insideArrows: readonly Arrow[],
  arranged: Arrangement,
  [top, width]: readonly [number, number],
): Part {
  const others = GROUND.filter((name) => name !== 'platform' && names.includes(name));
  const placed = moved(arranged, MARGIN + PADDING, top + 44);
  const bottom = top + 44 + Math.max(arranged.height, others.length * 42) + 18;
  const besides = others.map((name, index) => ({
    ...{ name, width: GROUND_WIDTH, height: 32 },
    ...at(width - MARGIN - PADDING - GROUND_WIDTH, top + 44 + index * 42),
  }));
  const drawn = (room: Box, tip: string) => [
    box(room, 'room', tip),
    text(at(room.x + room.width / 2, room.y + 20), room.name, 'name middle'),
  ];
  return {
    shapes: [
      ...framed('platform', 'mechanics that know no resource, and its rooms', [top, bottom], width),
      ...placed.lines.map(drawnLine),
      ...placed.boxes.flatMap((room) => drawn(room, tipOf(room.name, insideArrows))),
      ...besides.flatMap((room) => drawn(room, tipOf(room.name, arrows))),
    ],
    bottom,
  };
}

/** A picture that points down only would hide them: what is imported from a frame further up. */
function upwardArrows(arrows: readonly Arrow[]): Arrow[] {
  const depth = (name: string) => (isEntry(name) ? 0 : isResource(name) ? 1 : 2);
  return arrows.filter(({ from, to }) => depth(from) > depth(to));
}

function legend(y: number, upwards: readonly Arrow[]): string[] {
  return [
    line([at(MARGIN, y - 4), at(MARGIN + 40, y - 4)], 'way'),
    text(at(MARGIN + 48, y), 'imports; left out where a longer way of arrows says it', 'small'),
    line([at(MARGIN + 380, y - 4), at(MARGIN + 420, y - 4)], 'types'),
    text(at(MARGIN + 428, y), 'types only', 'small'),
    badge(at(MARGIN + 520, y - 13), 'A'),
    text(at(MARGIN + 542, y), 'imported by api; C, W: by cli, workers', 'small'),
    text(at(MARGIN, y + 22), 'Every folder may import the frame at the bottom.', 'small'),
    ...(upwards.length === 0
      ? []
      : [
          text(
            at(MARGIN + 380, y + 22),
            `Upwards: ${upwards.map(({ from, to }) => `${from} → ${to}`).join(', ')}`,
            'small against',
          ),
        ]),
  ];
}
