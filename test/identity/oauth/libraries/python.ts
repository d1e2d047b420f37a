import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { dataFolder } from '../../../../scripts/data-folder.mjs';
import { fetchDebianPackages } from '../../../../scripts/debian.mjs';

export interface Python {
  program: string;
  environment: Record<string, string>;
}

const folder = join(dataFolder, 'python');
const triplet = process.arch === 'arm64' ? 'aarch64-linux-gnu' : 'x86_64-linux-gnu';

/** Signed tokens and signals, which nothing here asks for; the machine's own C library stays in use. */
const UNNEEDED =
  /^(python3-(blinker|cffi.*|cryptography|jwt|pkg-resources)|ca-certificates|openssl|debconf|dpkg|tar|libc6|libc-bin)$/;

/**
 * Debian's Python with requests-oauthlib, unpacked in the project's own folder; nothing is installed. A machine that has
 * Python gets what it lacks only.
 */
export async function fetchPython(): Promise<Python> {
  await fetchDebianPackages({
    origin: 'machine',
    packages: ['python3', 'python3-requests-oauthlib'],
    isNeeded: (name) => !UNNEEDED.test(name),
    folder,
    report: (line) => console.log(line),
  });
  const libraries = join(folder, 'usr', 'lib');
  const versions = (await readdir(libraries)).filter((name) => /^python3\.\d+$/.test(name));
  const modules = ['python3/dist-packages', ...versions.flatMap((name) => [name, `${name}/lib-dynload`])];
  const programs = versions.map((name) => join(folder, 'usr', 'bin', name));
  return {
    program: programs.find((path) => existsSync(path)) ?? '/usr/bin/python3',
    environment: {
      PYTHONPATH: modules.map((path) => join(libraries, path)).join(delimiter),
      PYTHONDONTWRITEBYTECODE: '1',
      LD_LIBRARY_PATH: join(libraries, triplet),
    },
  };
}
