// Runs a file under the Node this project pins, whatever Node the machine has:
//   node scripts/node.mjs FILE ARGUMENTS…
// Any Node from 18 on must be able to read this file and what it imports.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { constants } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const libraryFolders = ['/lib', '/lib64', '/usr/lib', '/usr/lib64', '/usr/local/lib'];
const triplets = { x64: 'x86_64-linux-gnu', arm64: 'aarch64-linux-gnu' };

/** @returns {string} the program to run with, or ends the process with one sentence */
function chooseNode() {
  try {
    const found = createRequire(import.meta.url).resolve(
      `node-${process.platform}-${process.arch}/package.json`,
    );
    return join(dirname(found), 'bin', 'node');
  } catch {
    const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
    if (major > 24 || (major === 24 && minor >= 7)) return process.execPath;
    console.error(
      `Node ${process.versions.node} is too old: run npm ci without --omit=optional, which brings Node 26 on Linux, or install Node 24.7 or newer.`,
    );
    process.exit(1);
  }
}

/**
 * Official Linux builds from Node 25 on need libatomic.so.1, which machines without a compiler lack: then
 * Debian's copy is unpacked into the project's own folder.
 * @param {string} node
 * @returns {Promise<string | undefined>} a folder for LD_LIBRARY_PATH, where one is needed
 */
async function folderOfLibatomic(node) {
  if (process.platform !== 'linux' || node === process.execPath) return undefined;
  const triplet = process.arch === 'arm64' ? triplets.arm64 : triplets.x64;
  for (const folder of libraryFolders) {
    if (existsSync(join(folder, 'libatomic.so.1'))) return undefined;
    if (existsSync(join(folder, triplet, 'libatomic.so.1'))) return undefined;
  }
  const { libatomicFolder, fetchLibatomic } = await import('./libatomic.mjs');
  const folder = libatomicFolder(triplet);
  if (existsSync(join(folder, 'libatomic.so.1'))) return folder;
  if (!spawnSync(node, ['-v'], { encoding: 'utf8' }).stderr?.includes('libatomic')) return undefined;
  await fetchLibatomic();
  return folder;
}

/** @param {unknown} error */
function fail(error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exit(1);
}

const node = chooseNode();
const libraryFolder = await folderOfLibatomic(node).catch(fail);
/** @type {Record<string, string | undefined>} */
const environment = { ...process.env, PATH: `${dirname(node)}${delimiter}${process.env.PATH ?? ''}` };
// Code once compiled is kept for every process below: a command line then starts in half the time.
environment.NODE_COMPILE_CACHE ??= join(
  dirname(dirname(fileURLToPath(import.meta.url))),
  '.data',
  'compiled',
);
if (libraryFolder) {
  const given = process.env.LD_LIBRARY_PATH;
  environment.LD_LIBRARY_PATH = given ? `${libraryFolder}:${given}` : libraryFolder;
}
// npm runs scripts in the project's folder, and so does the shell of docs/deployment.md. Names of files that people give to
// these are meant from where they stand.
const { INIT_CWD: standing, npm_lifecycle_event: script = '' } = process.env;
const programArguments = process.argv.slice(2);
const isFromElsewhere = ['cli', 'db', ''].includes(script) && standing !== undefined && existsSync(standing);
const program = programArguments.findIndex((argument) => !argument.startsWith('-'));
const child = spawn(
  node,
  isFromElsewhere
    ? programArguments.map((argument, index) => (index === program ? resolve(argument) : argument))
    : programArguments,
  { stdio: 'inherit', env: environment, ...(isFromElsewhere && { cwd: standing }) },
);
process.on('SIGTERM', () => child.kill('SIGTERM'));
process.on('SIGHUP', () => child.kill('SIGHUP'));
// A terminal sends Ctrl-C to the whole group: passing it on as well would make two of one.
process.on('SIGINT', () => {});
child.on('error', (error) => fail(new Error(`${node} cannot be run: ${error.message}`)));
child.on('exit', (code, signal) => process.exit(signal ? 128 + constants.signals[signal] : (code ?? 1)));
