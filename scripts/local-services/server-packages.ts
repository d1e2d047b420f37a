import { existsSync } from 'node:fs';
import { chmod, mkdir, readdir, realpath, rename, rm, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { dataFolder } from '../data-folder.mjs';
import { fetchDebianPackages } from '../debian.mjs';

export const serversFolder = join(dataFolder, 'servers');

const triplet = process.arch === 'arm64' ? 'aarch64-linux-gnu' : 'x86_64-linux-gnu';
const loader = process.arch === 'arm64' ? 'ld-linux-aarch64.so.1' : 'ld-linux-x86-64.so.2';
const librariesFolder = join('usr', 'lib', triplet);
const programsOf = (major: number): string => join('usr', 'lib', 'postgresql', String(major), 'bin');
const postgresPrograms = programsOf(17);
const valkeyPrograms = join('usr', 'bin');

export const postgresProgram = (name: string): string => join(serversFolder, postgresPrograms, name);
export const valkeyProgram = (name: string): string => join(serversFolder, valkeyPrograms, name);

/**
 * What installing would need and running does not: more than half of the bytes. LLVM is the largest and the
 * only one a module asks for, the compiler of queries, which the server's settings switch off.
 */
const unneeded = new RegExp(
  `^(${[
    'adduser|base-passwd|debconf|init-system-helpers|locales|login\\.defs|netbase|passwd|procps|ucf|tzdata',
    'gcc-.*|openssl.*|perl.*|libperl.*|lib.*-perl|postgresql-common.*|postgresql-client-common',
    'readline-common|sensible-utils|ssl-cert|sysvinit-utils',
    'libc-bin|libc-l10n|libdb5.*|libdebconfclient.*|libgdbm.*|libllvm.*|libz3-.*|libedit.*|libbsd.*|libmd0',
    'libpam-modules.*|libproc2-.*|libsemanage.*|libsepol.*|libaudit-common|libncursesw.*|libsasl2-modules.*',
    'libacl1|libattr1|libbz2-.*|libuuid1',
  ].join('|')})$`,
);

/**
 * Puts a script in the place of each program: the machine's C library may be older than the one the programs
 * were built with, so each runs through the unpacked loader. The scripts keep the programs' names, because
 * `initdb` looks for `postgres` beside itself and the server finds its own files from where it stands; they
 * know no absolute path, so a moved project keeps working.
 */
async function wrapPrograms(unpacked: string, folder: string): Promise<void> {
  const programs = join(unpacked, folder);
  const originals = join(programs, 'elf');
  const names = await readdir(programs);
  await mkdir(originals, { mode: 0o755 });
  // Valkey's server is a link to another of its programs: targets are read before anything moves.
  const targets = await Promise.all(names.map((name) => realpath(join(programs, name))));
  const root = relative(join('/', folder), '/');
  for (const [index, name] of names.entries()) {
    const program = join(programs, name);
    const target = targets[index] ?? program;
    const original = relative(await realpath(programs), target);
    const script = [
      '#!/bin/sh',
      `here="\${0%/*}"`,
      `libraries="$here/${root}/${librariesFolder}"`,
      `exec "$libraries/${loader}" --library-path "$libraries" --argv0 "$0" "$here/elf/${original}" "$@"`,
      '',
    ].join('\n');
    if (original === name) await rename(program, join(originals, name));
    else await rm(program);
    await writeFile(program, script);
    await chmod(program, 0o755);
  }
}

/** Brings PostgreSQL with TimescaleDB and Valkey, once for everything that runs in this project. */
export async function fetchServers(report: (line: string) => void): Promise<void> {
  if (existsSync(serversFolder)) return;
  await fetchDebianPackages({
    packages: ['postgresql-17-timescaledb', 'valkey-server'],
    isNeeded: (name) => !unneeded.test(name),
    folder: serversFolder,
    prepare: async (unpacked) => {
      await wrapPrograms(unpacked, postgresPrograms);
      await wrapPrograms(unpacked, valkeyPrograms);
    },
    report,
  });
}

const newerFolder = join(dataFolder, 'servers-newer');
const NEWER_MAJOR = 18;

/** Brings what the next release of Debian has, for tests of a move there, and gives the folder of its programs. */
export async function fetchNewerPostgres(report: (line: string) => void): Promise<string> {
  await fetchDebianPackages({
    origin: 'forky',
    packages: [`postgresql-${NEWER_MAJOR}-timescaledb`],
    isNeeded: (name) => !unneeded.test(name),
    folder: newerFolder,
    prepare: (unpacked) => wrapPrograms(unpacked, programsOf(NEWER_MAJOR)),
    report,
  });
  return join(newerFolder, programsOf(NEWER_MAJOR));
}
