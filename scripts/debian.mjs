// Debian packages fetched by the machine's own apt and unpacked into a folder of the project. Nothing is
// installed, nothing outside the project changes, no root is needed. Read by Node 18 too.
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { appendFile, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { dataFolder, exclusively, makeDataFolder } from './data-folder.mjs';

const execute = promisify(execFile);
const aptFolder = join(dataFolder, 'apt');
const aptConfiguration = join(aptFolder, 'apt.conf');
const logFile = join(dataFolder, 'packages.log');
const keyring = '/usr/share/keyrings/debian-archive-keyring.gpg';
const indexLifetimeMilliseconds = 3_600_000;

/** The release that carries PostgreSQL 17 with TimescaleDB and Valkey. */
const release = 'trixie';

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

/** @param {string[]} aptArguments @param {string} [folder] */
function apt(aptArguments, folder) {
  return run('/usr/bin/apt-get', ['-c', aptConfiguration, '-qq', ...aptArguments], folder);
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
 */
async function writeAptState() {
  for (const folder of ['lists/partial', 'cache/archives/partial']) {
    await mkdir(join(aptFolder, folder), { recursive: true });
  }
  await writeFile(join(aptFolder, 'status'), '');
  await writeFile(
    join(aptFolder, 'sources.list'),
    `deb [arch=${debianArchitecture()} signed-by=${keyring}] ${await findMirror()} ${release} main\n`,
  );
  const settings = {
    'Dir::State': aptFolder,
    'Dir::State::status': join(aptFolder, 'status'),
    'Dir::Cache': join(aptFolder, 'cache'),
    'Dir::Cache::pkgcache': 'pkgcache.bin',
    'Dir::Cache::srcpkgcache': 'srcpkgcache.bin',
    'Dir::Etc::sourcelist': join(aptFolder, 'sources.list'),
    'Dir::Etc::sourceparts': '/dev/null',
    'Dir::Etc::preferences': '/dev/null',
    'Dir::Etc::preferencesparts': '/dev/null',
    'APT::Sandbox::User': '',
    'APT::Install-Recommends': 'false',
    'Acquire::Languages': 'none',
    'Acquire::Retries': '3',
  };
  const hooks = ['APT::Update::Post-Invoke', 'APT::Update::Post-Invoke-Success', 'DPkg::Post-Invoke'];
  await writeFile(
    aptConfiguration,
    [
      ...Object.entries(settings).map(([name, value]) => `${name} "${value}";`),
      ...hooks.map((name) => `#clear ${name};`),
      '',
    ].join('\n'),
  );
}

async function refreshIndex() {
  await writeAptState();
  const written = await stat(join(aptFolder, 'updated')).catch(() => undefined);
  if (written && Date.now() - written.mtimeMs < indexLifetimeMilliseconds) return;
  await apt(['-o', 'APT::Update::Error-Mode=any', 'update']);
  await writeFile(join(aptFolder, 'updated'), '');
}

/**
 * Names with everything they depend on, of which `wanted` chooses.
 * @param {string[]} packages
 * @param {(name: string) => boolean} wanted
 */
async function resolvePackages(packages, wanted) {
  const lines = (await apt(['--print-uris', 'install', ...packages])).split('\n');
  const names = [];
  let bytes = 0;
  for (const line of lines) {
    // The address is percent-encoded, the file name in the second column is not.
    const [, file = '', size = '0'] = line.split(' ');
    const name = file.slice(0, file.indexOf('_'));
    if (!file.includes('_') || !wanted(name)) continue;
    names.push(name);
    bytes += Number(size);
  }
  if (names.length === 0) throw new Error(`${packages.join(', ')}: no such packages in Debian ${release}.`);
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
 * @param {string[]} options.packages
 * @param {(name: string) => boolean} options.wanted which of them and of their dependencies to take
 * @param {string} options.folder
 * @param {(unpacked: string) => Promise<void>} [options.prepare] what to do before the folder gets its name
 * @param {boolean} [options.keepIndex] leave apt's state for a fetch that follows soon
 * @param {(line: string) => void} options.report
 */
export async function fetchDebianPackages({ packages, wanted, folder, prepare, keepIndex, report }) {
  if (existsSync(folder)) return;
  await makeDataFolder();
  const fetchAndUnpack = async () => {
    if (existsSync(folder)) return;
    await refreshIndex();
    const { names, bytes } = await resolvePackages(packages, wanted);
    report(
      `Fetching ${packages.join(' and ')} from Debian: packages ${names.length}, MB ${(bytes / 1e6).toFixed(1)}, once`,
    );
    const downloads = join(aptFolder, 'downloads');
    const unpacked = `${folder}.new`;
    for (const emptied of [downloads, unpacked]) {
      await rm(emptied, { recursive: true, force: true });
      await mkdir(emptied, { recursive: true, mode: 0o755 });
    }
    await apt(['download', ...names], downloads);
    await unpack(downloads, unpacked);
    await prepare?.(unpacked);
    await rename(unpacked, folder);
    await rm(keepIndex ? downloads : aptFolder, { recursive: true, force: true });
  };
  await exclusively(join(dataFolder, 'packages.lock'), fetchAndUnpack, () =>
    report('Another start is fetching packages for this project: waiting for it'),
  );
}
