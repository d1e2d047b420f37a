// Completes package-lock.json:  node scripts/lock.mjs [--check | --hashes]
// npm leaves out the optional packages of platforms it could not fetch, and npm 11 then refuses the lock it
// wrote itself ("Missing: … from lock file"). To be run after every install; --check only names what lacks.
// Their hashes are not known then: --hashes asks the registry for them, where it has all platforms. What Linux with glibc
// installs has to carry one.
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const lockFile = fileURLToPath(new URL('../package-lock.json', import.meta.url));

const systems = [
  'aix',
  'android',
  'darwin',
  'freebsd',
  'linux',
  'netbsd',
  'openbsd',
  'openharmony',
  'sunos',
  'win32',
];
const processors = ['arm', 'arm64', 'ia32', 'loong64', 'mips64el', 'ppc64', 'riscv64', 's390x', 'x64'];

/**
 * @typedef {{ version?: string, dev?: boolean, devOptional?: boolean, optional?: boolean,
 *   os?: string[], cpu?: string[], libc?: string[], optionalDependencies?: Record<string, string>,
 *   integrity?: string, link?: boolean }} Entry
 */

/**
 * The registry told nothing about these packages: their platform is read from their name.
 * @param {string} name
 */
function platformOf(name) {
  const words = name.split(/[^a-z0-9]+/);
  const os = systems.find((system) => words.includes(system));
  const cpu = processors.find((processor) => words.includes(processor));
  if (!os || !cpu) throw new Error(`${name} is missing in package-lock.json and names no platform.`);
  return { os: [os], cpu: [cpu], libc: os === 'linux' ? [/musl/.test(name) ? 'musl' : 'glibc'] : undefined };
}

/**
 * Node's own search: beside the dependent, then upwards.
 * @param {Record<string, Entry>} packages
 * @param {string} dependent
 * @param {string} name
 */
function isLocked(packages, dependent, name) {
  for (let at = dependent; ; at = at.slice(0, Math.max(0, at.lastIndexOf('/node_modules/')))) {
    if (packages[`${at && `${at}/`}node_modules/${name}`]) return true;
    if (!at) return false;
  }
}

/** @type {{ packages: Record<string, Entry> }} */
const lock = JSON.parse(readFileSync(lockFile, 'utf8'));
/** @type {Record<string, Entry>} */
const missing = {};
for (const [dependent, entry] of Object.entries(lock.packages)) {
  for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
    if (isLocked(lock.packages, dependent, name)) continue;
    if (!/^\d+\.\d+\.\d+/.test(version)) throw new Error(`${name} ${version}: not an exact version.`);
    const { os, cpu, libc } = platformOf(name);
    missing[`node_modules/${name}`] = {
      version,
      cpu,
      ...(entry.dev && { dev: true }),
      ...(entry.devOptional && { devOptional: true }),
      ...(libc && { libc }),
      optional: true,
      os,
    };
  }
}

const packages = { ...lock.packages, ...missing };
const unverified = Object.entries(packages).filter(
  ([path, { integrity, link }]) => path !== '' && integrity === undefined && link !== true,
);
const nameOf = (/** @type {string} */ path) => path.slice(path.lastIndexOf('node_modules/') + 13);

/** @param {Entry} entry */
function isInstalledHere({ os = ['linux'], cpu = ['x64'], libc = ['glibc'] }) {
  const isKnownProcessor = cpu.includes('x64') || cpu.includes('arm64');
  return os.includes('linux') && isKnownProcessor && libc.includes('glibc');
}

if (process.argv.includes('--check')) {
  const lacks = Object.keys(missing).map((path) => `${nameOf(path)}: run node scripts/lock.mjs`);
  for (const [path, entry] of unverified) {
    if (isInstalledHere(entry))
      lacks.push(`the integrity of ${nameOf(path)}: run node scripts/lock.mjs --hashes`);
  }
  for (const text of lacks) console.error(`package-lock.json lacks ${text}`);
  process.exitCode = lacks.length > 0 ? 1 : 0;
} else {
  let found = 0;
  for (const [path, entry] of process.argv.includes('--hashes') ? unverified : []) {
    const command = ['view', `${nameOf(path)}@${entry.version}`, 'dist.integrity'];
    const integrity = spawnSync('npm', command, { encoding: 'utf8' }).stdout.trim();
    if (!/^sha512-[\w+/]{86}==$/.test(integrity)) continue;
    entry.integrity = integrity;
    found += 1;
  }
  const entries = Object.entries(packages).sort(([left], [right]) => left.localeCompare(right, 'en'));
  lock.packages = Object.fromEntries(entries);
  writeFileSync(lockFile, `${JSON.stringify(lock, null, 2)}\n`);
  console.log(
    `package-lock.json: ${Object.keys(missing).length} entries of other platforms added; ` +
      `${unverified.length - found} packages without a hash`,
  );
}
