import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

export const projectFolder = resolve(dirname(fileURLToPath(import.meta.url)), '../..');

/** Written by machines or brought along: rules about how code is written do not concern them. */
const LEFT_OUT_FOLDERS = new Set(['node_modules', '.git', '.data', 'results', 'dist']);

export interface ProjectFile {
  /** From the project's folder, with slashes. */
  path: string;
  text: string;
}

/** All text files of the project below these folders or with these names. */
export function projectFiles(...roots: string[]): ProjectFile[] {
  return roots.flatMap((root) => {
    const full = join(projectFolder, root);
    if (!existsSync(full)) return [];
    return filesBelow(full).map((file) => ({
      path: relative(projectFolder, file).split(sep).join('/'),
      text: readFileSync(file, 'utf8'),
    }));
  });
}

function filesBelow(path: string): string[] {
  const entries = readdirSync(path, { withFileTypes: true });
  return entries.flatMap((entry) => {
    if (LEFT_OUT_FOLDERS.has(entry.name)) return [];
    const full = join(path, entry.name);
    return entry.isDirectory() ? filesBelow(full) : [full];
  });
}

export function codeFiles(...roots: string[]): ProjectFile[] {
  return projectFiles(...roots).filter((file) => /\.(ts|mjs)$/.test(file.path));
}

/** Code without comments, texts kept: patterns then find what runs, not what is spoken about. Line numbers stay. */
export function withoutComments(text: string): string {
  return text
    .replace(/\/\*[\s\S]*?\*\//g, (comment) => comment.replace(/[^\n]/g, ' '))
    .replace(/(^|[\s;{}(),])\/\/[^\n]*/g, '$1');
}

export interface Import {
  /** `src/platform/database/db.ts`, or the name of a package. */
  target: string;
  /** The imported names; empty for a whole module or a side effect. */
  names: string[];
  typeOnly: boolean;
}

const STATIC = /^(?:import|export)\s+(type\s+)?([^'";]*?)\s*from\s+'([^']+)'/gm;
const BARE = /^import\s+'([^']+)'/gm;
const DYNAMIC = /\bimport\(\s*'([^']+)'\s*\)/g;

/** Imports carry their file name, so reading `from '…'` is enough. */
export function importsOf(file: ProjectFile): Import[] {
  const text = withoutComments(file.text);
  const found: Import[] = [];
  for (const [, type, clause, specifier] of text.matchAll(STATIC)) {
    found.push({
      target: targetOf(file, specifier ?? ''),
      names: namesOf(clause ?? ''),
      typeOnly: type !== undefined,
    });
  }
  for (const pattern of [BARE, DYNAMIC]) {
    for (const [, specifier] of text.matchAll(pattern)) {
      found.push({ target: targetOf(file, specifier ?? ''), names: [], typeOnly: false });
    }
  }
  return found;
}

function targetOf(file: ProjectFile, specifier: string): string {
  if (!specifier.startsWith('.')) return specifier;
  return relative(projectFolder, resolve(projectFolder, dirname(file.path), specifier))
    .split(sep)
    .join('/');
}

function namesOf(clause: string): string[] {
  const braces = /\{([^}]*)\}/.exec(clause)?.[1] ?? '';
  return braces
    .split(',')
    .map((part) =>
      part
        .trim()
        .replace(/^type\s+/, '')
        .replace(/\s+as\s+.*$/, ''),
    )
    .filter((name) => name !== '');
}

/** `path:line` of every match in what runs. */
export function placesOf(files: readonly ProjectFile[], pattern: RegExp): string[] {
  const global = new RegExp(pattern.source, `${pattern.flags.replace('g', '')}g`);
  return files.flatMap((file) => {
    const text = withoutComments(file.text);
    return [...text.matchAll(global)].map((match) => {
      const line = text.slice(0, match.index).split('\n').length;
      return `${file.path}:${line}`;
    });
  });
}
