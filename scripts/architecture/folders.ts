import { codeFiles, importsOf } from '../../test/rules/project-files.ts';

/** One folder imports another; `typeOnly` where nothing of it is needed while the program runs. */
export interface Arrow {
  from: string;
  to: string;
  typeOnly: boolean;
}

export interface Folders {
  /** Folders below src, `workers`, `scripts`, and the files that lie in src itself: `main.ts`. */
  names: readonly string[];
  arrows: readonly Arrow[];
}

/** Ground files are no room: every room uses them. */
const ROOT = 'files at the root';

/** What the imports of src and workers say about their folders. */
export function readFolders(): Folders {
  return foldersBy(nameOf, codeFiles('src', 'workers'));
}

/** The same for the rooms of src/platform. */
export function readRooms(): Folders {
  const rooms = foldersBy(roomOf, codeFiles('src/platform'));
  return {
    names: rooms.names.filter((name) => name !== ROOT),
    arrows: rooms.arrows.filter(({ from, to }) => from !== ROOT && to !== ROOT),
  };
}

function foldersBy(
  named: (path: string) => string | undefined,
  files: ReturnType<typeof codeFiles>,
): Folders {
  const arrows = new Map<string, Arrow>();
  const names = new Set<string>();
  for (const file of files) {
    const from = named(file.path);
    if (from === undefined) continue;
    names.add(from);
    for (const link of importsOf(file)) {
      const to = named(link.target);
      if (to === undefined || to === from) continue;
      names.add(to);
      const typeOnly = link.typeOnly && (arrows.get(`${from} ${to}`)?.typeOnly ?? true);
      arrows.set(`${from} ${to}`, { from, to, typeOnly });
    }
  }
  const ordered = [...arrows].sort(([left], [right]) => (left < right ? -1 : 1)).map(([, arrow]) => arrow);
  return { names: [...names].sort(), arrows: ordered };
}

function nameOf(path: string): string | undefined {
  const [top = '', below = ''] = path.split('/');
  if (top === 'workers' || top === 'scripts') return top;
  if (top !== 'src') return undefined;
  return below;
}

function roomOf(path: string): string | undefined {
  const [top, platform, room = '', deeper] = path.split('/');
  if (top !== 'src' || platform !== 'platform') return undefined;
  return deeper === undefined ? ROOT : room;
}

/**
 * Without the arrows that a longer way says already: who imports `leads` reaches `plans` by it. What runs is never left
 * out for a way of types. Folders that reach each other keep their arrows.
 */
export function essentialArrows(arrows: readonly Arrow[]): Arrow[] {
  const reaches = (from: string, to: string, usable: readonly Arrow[]): boolean => {
    const seen = new Set([from]);
    for (const place of seen) {
      for (const arrow of usable) if (arrow.from === place) seen.add(arrow.to);
      if (seen.has(to)) return true;
    }
    return false;
  };
  return arrows.filter(({ from, to, typeOnly }) => {
    const usable = arrows.filter((arrow) => typeOnly || !arrow.typeOnly);
    const beside = usable.filter((arrow) => arrow.from === from && arrow.to !== to);
    return !beside.some((arrow) => reaches(arrow.to, to, usable) && !reaches(arrow.to, from, usable));
  });
}
