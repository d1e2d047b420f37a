// Debian packages fetched by the machine's own apt and unpacked into a folder of the project. Nothing is
// installed, nothing outside the project changes, no root is needed. Read by Node 18 too.
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { appendFile, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { dataFolder, exclusively, makeDataFolder } from './data-folder.mjs';

const execute = promisify(execFile);
const logFile = join(dataFolder, 'packages.log');
const machineStatus = '/var/lib/dpkg/status';
const keyring = '/usr/share/keyrings/debian-archive-keyring.gpg';
const indexLifetimeMilliseconds = 3_600_000;

/**
 * Whose packages: of the release that carries PostgreSQL 17 with TimescaleDB and Valkey, whole, because they run on
 * their own C library; of the one after it, which carries 18 with a newer TimescaleDB; or of the machine's own release and
 * sources, to run on the machine's libraries, so that only what it lacks comes.
 * @typedef {'trixie' | 'forky' | 'machine'} Origin
 */

/** @param {Origin} origin */
const aptFolderOf = (origin) => join(dataFolder, origin === 'trixie' ? 'apt' : `apt-${origin}`);

/** @returns {string | undefined} what is missing for packages to be fetched here */
export function whyNotDebian() {
  if (process.platform !== 'linux') return 'this is not Linux';
  for (const needed of ['/usr/bin/apt-get', '/usr/bin/dpkg', '/usr/bin/dpkg-deb', keyring]) {
    if (!existsSync(needed)) return `${needed} is missing`;
  }
  return debianArchitecture() ? undefined : `there are no packages for ${process.arch}`;
}

function debianArchitecture() {
  if (process.arch === 'x64') return 'amd64';
  return process.arch === 'arm64' ? 'arm64' : undefined;
}

/**
 * @param {string} program
 * @param {string[]} programArguments
 * @param {string} [folder]
 */
async function run(program, programArguments, folder = '/') {
  try {
    const { stdout } = await execute(program, programArguments, { cwd: folder, maxBuffer: 64 * 1024 * 1024 });
    return stdout;
  } catch (error) {
    const output = error instanceof Error && 'stderr' in error ? String(error.stderr) : '';
    await appendFile(logFile, `${program} ${programArguments.join(' ')}\n${String(error)}\n`);
    const lines = output.split('\n').filter((line) => line.startsWith('E: '));
    const reason = (lines[0] ?? output.trim().split('\n')[0] ?? '').replace(/^E: /, '') || String(error);
    throw new Error(`Packages could not be fetched or unpacked: ${reason} (log: ${logFile})`);
  }
}

/** @param {string} aptFolder @param {string[]} aptArguments @param {string} [folder] */
function apt(aptFolder, aptArguments, folder) {
  return run('/usr/bin/apt-get', ['-c', join(aptFolder, 'apt.conf'), '-qq', ...aptArguments], folder);
}

/** The mirror this machine itself is set up with: whatever proxy or copy its owner chose stays in force. */
async function findMirror() {
  const codename = /^VERSION_CODENAME="?([a-z]+)/m.exec(await readFile('/etc/os-release', 'utf8'))?.[1];
  // `indextargets` would be the tidier question, but it is empty until somebody has run an update.
  const addresses = await run('/usr/bin/apt-get', ['update', '--print-uris']);
  const found = new RegExp(`^'([^']+?)/?dists/${codename}/main/binary-${debianArchitecture()}/`, 'm').exec(
    addresses,
  );
  if (!found?.[1]) {
    throw new Error(
      `No Debian mirror is set up in /etc/apt for ${codename ?? 'this system'}: ` +
        'add one, or give DATABASE_ADMIN_URL and REDIS_URL.',
    );
  }
  return found[1];
}

/**
 * apt's own state in our folder. The machine's `apt.conf.d` stays in force, because proxies stand there, but
 * not its hooks, which would act on the system; images that switch the package cache off would pay 1 to 2 s
 * on every call.
 * @param {Origin} origin
 */
async function writeAptState(origin) {
  const aptFolder = aptFolderOf(origin);
  for (const folder of ['lists/partial', 'cache/archives/partial']) {
    await mkdir(join(aptFolder, folder), { recursive: true });
  }
  const settings = {
    'Dir::State': aptFolder,
    ...(origin === 'machine'
      ? { 'Dir::State::status': machineStatus }
      : await writeOwnSources(aptFolder, origin)),
    'Dir::Cache': join(aptFolder, 'cache'),
    'Dir::Cache::pkgcache': 'pkgcache.bin',
    'Dir::Cache::srcpkgcache': 'srcpkgcache.bin',
    'APT::Sandbox::User': '',
    'APT::Install-Recommends': 'false',
    'Acquire::Languages': 'none',
    'Acquire::Retries': '3',
  };
  const hooks = ['APT::Update::Post-Invoke', 'APT::Update::Post-Invoke-Success', 'DPkg::Post-Invoke'];
  await writeFile(
    join(aptFolder, 'apt.conf'),
    [
      ...Object.entries(settings).map(([name, value]) => `${name} "${value}";`),
      ...hooks.map((name) => `#clear ${name};`),
      '',
    ].join('\n'),
  );
}

/**
 * One release alone, as if nothing were installed.
 * @param {string} aptFolder
 * @param {string} release
 */
async function writeOwnSources(aptFolder, release) {
  const [status, sources] = [join(aptFolder, 'status'), join(aptFolder, 'sources.list')];
  await writeFile(status, '');
  await writeFile(
    sources,
    `deb [arch=${debianArchitecture()} signed-by=${keyring}] ${await findMirror()} ${release} main\n`,
  );
  return {
    'Dir::State::status': status,
    'Dir::Etc::sourcelist': sources,
    'Dir::Etc::sourceparts': '/dev/null',
    'Dir::Etc::preferences': '/dev/null',
    'Dir::Etc::preferencesparts': '/dev/null',
  };
}

/**
 * @param {Origin} origin
 * @returns {Promise<unknown>} what went wrong at one of the machine's sources: another vendor's, perhaps, and of no
 * importance if the packages are found
 */
async function refreshIndex(origin) {
  const aptFolder = aptFolderOf(origin);
  await writeAptState(origin);
  const written = await stat(join(aptFolder, 'updated')).catch(() => undefined);
  if (written && Date.now() - written.mtimeMs < indexLifetimeMilliseconds) return undefined;
  try {
    await apt(aptFolder, ['-o', 'APT::Update::Error-Mode=any', 'update']);
  } catch (error) {
    if (origin === 'machine') return error;
    throw error;
  }
  await writeFile(join(aptFolder, 'updated'), '');
  return undefined;
}

/**
 * Names with everything they depend on, of which `isNeeded` chooses. A package that was named comes even where the machine
 * has it: the folder then holds all that it was asked for.
 * @param {Origin} origin
 * @param {string[]} packages
 * @param {(name: string) => boolean} isNeeded
 */
async function resolvePackages(origin, packages, isNeeded) {
  const command = ['--print-uris', '--reinstall', 'install', ...packages];
  const lines = (await apt(aptFolderOf(origin), command)).split('\n');
  /** @type {string[]} */
  const names = [];
  let bytes = 0;
  for (const line of lines) {
    // The address is percent-encoded, the file name in the second column is not.
    const [, file = '', size = '0'] = line.split(' ');
    const name = file.slice(0, file.indexOf('_'));
    if (!file.includes('_') || !isNeeded(name)) continue;
    names.push(name);
    bytes += Number(size);
  }
  const missing = packages.filter((name) => !names.includes(name));
  if (missing.length > 0) {
    const sources = origin === 'machine' ? "this machine's package sources" : `Debian ${origin}`;
    throw new Error(`${missing.join(', ')}: no such package in ${sources}.`);
  }
  return { names, bytes };
}

/**
 * @param {string} packagesFolder
 * @param {string} target
 */
async function unpack(packagesFolder, target) {
  const files = (await readdir(packagesFolder)).filter((name) => name.endsWith('.deb'));
  const next = async () => {
    for (let file = files.pop(); file; file = files.pop()) {
      await run('/usr/bin/dpkg', ['-x', join(packagesFolder, file), target]);
    }
  };
  await Promise.all([next(), next()]);
  for (const unread of ['doc', 'man', 'locale', 'lintian']) {
    await rm(join(target, 'usr', 'share', unread), { recursive: true, force: true });
  }
}

/**
 * Unpacks packages into `folder`, which appears under its name only when it is complete. A folder that is
 * there already is left as it is.
 * @param {object} options
 * @param {Origin} [options.origin]
 * @param {string[]} options.packages
 * @param {(name: string) => boolean} options.isNeeded which of them and of their dependencies to take
 * @param {string} options.folder
 * @param {(unpacked: string) => Promise<void>} [options.prepare] what to do before the folder gets its name
 * @param {boolean} [options.keepIndex] leave apt's state for a fetch that follows soon
 * @param {(line: string) => void} options.report
 */
export async function fetchDebianPackages(options) {
  const { origin = 'trixie', packages, isNeeded, folder, prepare, keepIndex, report } = options;
  if (existsSync(folder)) return;
  await makeDataFolder();
  const fetchAndUnpack = async () => {
    if (existsSync(folder)) return;
    const problem = await refreshIndex(origin);
    const { names, bytes } = await resolvePackages(origin, packages, isNeeded).catch((error) => {
      throw problem ?? error;
    });
    report(
      `Fetching ${packages.join(' and ')} from Debian: packages ${names.length}, MB ${(bytes / 1e6).toFixed(1)}, once`,
    );
    const aptFolder = aptFolderOf(origin);
    const downloads = join(aptFolder, 'downloads');
    const unpacked = `${folder}.new`;
    for (const emptied of [downloads, unpacked]) {
      await rm(emptied, { recursive: true, force: true });
      await mkdir(emptied, { recursive: true, mode: 0o755 });
    }
    await apt(aptFolder, ['download', ...names], downloads);
    await unpack(downloads, unpacked);
    await prepare?.(unpacked);
    await rename(unpacked, folder);
    await rm(keepIndex ? downloads : aptFolder, { recursive: true, force: true });
  };
  await exclusively(join(dataFolder, 'packages.lock'), fetchAndUnpack, () =>
    report('Another start is fetching packages for this project: waiting for it'),
  );
}
