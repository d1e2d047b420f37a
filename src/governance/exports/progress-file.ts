import { open, readFile, rename, rm } from 'node:fs/promises';

/** The request of an export. Only the same request goes on with its file. */
export interface ExportRequest {
  what: string;
  organization: string | null;
  household: string | null;
  from: string;
  /** The day behind the last one. */
  until: string;
  format: string;
  for_spreadsheets: boolean;
  columns: readonly string[];
}

/** How far an export has come, as the file beside it says. What lies behind `bytes` and `parts` does not count. */
export interface ExportState {
  request: ExportRequest;
  /** Who writes. */
  pid: number;
  /** The first day that is not whole yet, and of it the last key that is. */
  day: string;
  after: string | null;
  rows: number;
  /** Of the text file. */
  bytes: number;
  /** Sealed files of a format that cannot be appended to, and the rows in them. */
  parts: number;
  partRows: number;
}

export interface ExportPaths {
  /** The result, which appears when it is whole. */
  file: string;
  text: string;
  state: string;
  parts: string;
}

export const exportPaths = (file: string): ExportPaths => ({
  file,
  text: `${file}.part`,
  state: `${file}.state`,
  parts: `${file}.parts`,
});

/** Consumption of households: for the one who exports. */
export const PRIVATE_FILE = 0o600;

/** Null where nothing was begun. Throws where another request was, or where another process writes it. */
export async function readState(paths: ExportPaths, request: ExportRequest): Promise<ExportState | null> {
  const text = await readFile(paths.state, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  if (text === null) return null;
  let state: ExportState;
  try {
    state = JSON.parse(text) as ExportState;
  } catch {
    throw new Error(`${paths.state} is not the state of an export: remove it or take another --output`);
  }
  for (const name of Object.keys(request) as (keyof ExportRequest)[]) {
    const [begun, current] = [state.request?.[name], request[name]].map((value) => JSON.stringify(value));
    if (begun === current) continue;
    throw new Error(
      `${paths.state} belongs to an export with other ${name} (${begun}, not ${current}): remove it and ${paths.text}, or take another --output`,
    );
  }
  if (state.pid !== process.pid && isAlive(state.pid)) {
    throw new Error(
      `Process ${state.pid} writes ${paths.text}: wait for its end, or remove ${paths.state} if it is no export`,
    );
  }
  return state;
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Whole or not at all, also when the machine stops: what it counts was written before. */
export async function writeState(paths: ExportPaths, state: ExportState): Promise<void> {
  await replaceFile(paths.state, `${JSON.stringify(state)}\n`, PRIVATE_FILE);
}

/** At any moment the file holds the former text or the new one. */
export async function replaceFile(path: string, text: string, mode: number): Promise<void> {
  const next = `${path}.next`;
  const file = await open(next, 'w', mode);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(next, path);
}

export async function removeState(paths: ExportPaths): Promise<void> {
  await rm(paths.text, { force: true });
  await rm(paths.parts, { force: true, recursive: true });
  await rm(paths.state, { force: true });
}

/** Cuts the text file to what counts; makes it where nothing does. */
export async function cutText(paths: ExportPaths, bytes: number): Promise<void> {
  const file = await open(paths.text, bytes === 0 ? 'w' : 'r+', PRIVATE_FILE);
  try {
    if ((await file.stat()).size < bytes) {
      throw new Error(`${paths.text} is shorter than ${paths.state} says: remove both and begin anew`);
    }
    await file.truncate(bytes);
  } finally {
    await file.close();
  }
}
