// Chromium for the tests that look at pages: Debian's headless shell with one family of fonts, unpacked in the
// project's own folder and started from there. Nothing is installed.
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { dataFolder } from './data-folder.mjs';
import { fetchDebianPackages, whyNotDebian } from './debian.mjs';

const triplet = process.arch === 'arm64' ? 'aarch64-linux-gnu' : 'x86_64-linux-gnu';
const unpackedFolder = join(dataFolder, 'chromium');
/** Its home while it runs: settings and caches land here instead of in the home of whoever runs the tests. */
const homeFolder = join(dataFolder, 'chromium-home');

export interface Chromium {
  program: string;
  /** What it needs beside the caller's own environment. */
  environment: Record<string, string>;
}

/**
 * The compiler and the drivers of graphics cards, which drawing without a screen never loads, and the tools for
 * desktops: a third of the bytes on a bare machine. The machine's own C library stays in use: a second one
 * beside its dynamic loader would crash.
 */
const unneeded =
  /^(libllvm.*|libz3-.*|mesa-.*|libgl1.*|libglx.*|libdrm-(amdgpu|intel|nouveau|radeon)\d*|x11-utils|xdg-utils|libc6|libc-bin)$/;

/** Brings Chromium, once for everything that runs in this project, and says how it is started. */
export async function fetchChromium(report: (line: string) => void): Promise<Chromium> {
  const reason = existsSync(unpackedFolder) ? undefined : whyNotDebian();
  if (reason !== undefined) throw new Error(`Chromium cannot be fetched from Debian here: ${reason}.`);
  await fetchDebianPackages({
    origin: 'machine',
    // The second holds what the first reads beside itself: characters, texts, pictures.
    packages: ['chromium-headless-shell', 'chromium-common', 'fonts-dejavu-core'],
    isNeeded: (name) => !unneeded.test(name),
    folder: unpackedFolder,
    report,
  });
  const libraries = [
    join(unpackedFolder, 'usr', 'lib', triplet),
    join(unpackedFolder, 'lib', triplet),
    join(unpackedFolder, 'usr', 'lib', triplet, 'pulseaudio'),
  ];
  return {
    program: join(unpackedFolder, 'usr', 'lib', 'chromium', 'chromium-headless-shell'),
    environment: {
      HOME: homeFolder,
      LD_LIBRARY_PATH: libraries.join(delimiter),
      FONTCONFIG_FILE: await writeFontSettings(),
    },
  };
}

/**
 * Without settings a bare machine draws pages without any letters; with the machine's own, a page would look
 * different on each. Written on every start, because it names absolute paths and projects are moved.
 */
async function writeFontSettings(): Promise<string> {
  await mkdir(homeFolder, { recursive: true });
  const file = join(homeFolder, 'fonts.conf');
  const written = `${file}.${process.pid}-${randomBytes(4).toString('hex')}`;
  const lines = [
    '<?xml version="1.0"?>',
    '<!DOCTYPE fontconfig SYSTEM "urn:fontconfig:fonts.dtd">',
    '<fontconfig>',
    `  <dir>${escaped(join(unpackedFolder, 'usr', 'share', 'fonts'))}</dir>`,
    `  <cachedir>${escaped(join(homeFolder, 'fonts'))}</cachedir>`,
    ...[
      ['sans-serif', 'DejaVu Sans'],
      ['serif', 'DejaVu Serif'],
      ['monospace', 'DejaVu Sans Mono'],
    ].map(
      ([kind, family]) =>
        `  <alias><family>${kind}</family><prefer><family>${family}</family></prefer></alias>`,
    ),
    '</fontconfig>',
    '',
  ];
  await writeFile(written, lines.join('\n'));
  await rename(written, file);
  return file;
}

function escaped(path: string): string {
  return path.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
