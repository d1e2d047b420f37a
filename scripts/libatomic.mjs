import { join } from 'node:path';
import { dataFolder } from './data-folder.mjs';
import { fetchDebianPackages, whyNotDebian } from './debian.mjs';

const folder = join(dataFolder, 'libatomic');

/** @param {string} triplet */
export function libatomicFolder(triplet) {
  return join(folder, 'usr', 'lib', triplet);
}

export async function fetchLibatomic() {
  if (whyNotDebian()) {
    throw new Error('Node 26 needs libatomic.so.1: install libatomic (Debian: libatomic1) and start again.');
  }
  await fetchDebianPackages({
    packages: ['libatomic1'],
    isNeeded: (name) => name === 'libatomic1',
    folder,
    keepIndex: true,
    report: (line) => console.error(line),
  });
}
