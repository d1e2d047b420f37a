import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { signHead } from '../../../src/governance/audit-log/signed-heads.ts';
import { maskText } from '../../../src/platform/log/redaction.ts';
import { runCommand } from '../../cli/command-line.ts';
import { testEnvironment } from '../../setup/api.ts';
import { openSealedLog, type SealedLog } from './sealed-log.ts';

let audited: SealedLog;
beforeAll(async () => {
  audited = await openSealedLog();
});
beforeEach(() => audited.empty());
afterAll(() => audited?.close());

describe('audit verify', () => {
  const command = (...args: string[]) =>
    runCommand(testEnvironment(audited.testDatabase, 'redis://127.0.0.1:1'), 'audit', 'verify', ...args);

  test('compares every seal, shows the head, and ends with 0', async () => {
    await audited.addRows(40, 3);
    await audited.seal();
    const newest = (await audited.listSeals()).at(-1);
    const { exitCode, stdout, stderr } = await command();
    expect([exitCode, stderr]).toEqual([0, '']);
    expect(stdout).toBe(
      `audit log: seals 40, compared 40, first ${(await audited.listSeals())[0]?.day}, newest ${newest?.day}, head ${newest?.hash}\ndocuments: documents 0\n`,
    );
  });

  test('names the day that was changed and ends with 1; mended it ends the alarm', async () => {
    await audited.addRows(40, 3);
    await audited.seal();
    await audited.asAdmin(`UPDATE audit_log SET result = 'refused' WHERE object_id = 'ast_2'`);
    const broken = await command('--json');
    expect(broken.exitCode).toBe(1);
    const day = (await audited.listSeals())[0]?.day;
    expect(JSON.parse(broken.stdout)).toMatchObject({
      checks: [
        { name: 'audit log', problems: [{ of: day, problem: 'the rows are not those that were sealed' }] },
        { name: 'documents', problems: [] },
      ],
    });
    expect(await audited.alarm()).toBe(1);
    await audited.asAdmin(`UPDATE audit_log SET result = 'done' WHERE object_id = 'ast_2'`);
    expect((await command()).exitCode).toBe(0);
    expect(await audited.alarm()).toBe(0);
  });

  test('names days that nobody sealed', async () => {
    await audited.addRows(9, 1);
    await audited.seal();
    await audited.asAdmin('DELETE FROM audit_seals WHERE day > (SELECT min(day) + 2 FROM audit_seals)');
    const { exitCode, stdout } = await command();
    expect([exitCode, stdout]).toEqual([1, expect.stringContaining('the days after it are not sealed')]);
  });

  test('misses heads that the worker logged, where rows and all seals were made anew', async () => {
    await audited.addRows(5, 3);
    await audited.seal();
    const folder = await mkdtemp(join(tmpdir(), 'voltstream-heads-'));
    try {
      const file = join(folder, 'worker.log');
      await writeFile(file, `half a line "audit log sealed"\n${audited.logged()}`);
      expect((await command('--heads', file)).exitCode).toBe(0);
      const logged = (await audited.listSeals()).at(-1);
      await audited.asAdmin(`DELETE FROM audit_seals; DELETE FROM audit_log WHERE object_id = 'ast_2'`);
      await audited.seal();
      expect((await command()).exitCode).toBe(0);
      const { exitCode, stdout } = await command('--heads', file);
      expect([exitCode, stdout]).toEqual([
        1,
        expect.stringContaining(`the log knows its head as ${logged?.hash}`),
      ]);
      await writeFile(file, 'another log\n');
      const other = await command('--heads', file);
      expect([other.exitCode, other.stderr]).toEqual([
        1,
        'worker.log has no line "audit log sealed" of the worker\'s log\n',
      ]);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  test("a signed head stands whole in the worker's log, whatever its signature", () => {
    for (let count = 0; count < 300; count += 1) {
      const head = { day: '2026-11-26', rows: 3, hash: randomBytes(32).toString('hex') };
      const line = JSON.stringify(signHead(randomBytes(32).toString('base64url'), head));
      expect(maskText(line)).toBe(line);
    }
  });

  test('a head that was handed out signed is checked with the public key alone; one that was changed or signed by another is named', async () => {
    const environment = testEnvironment(audited.testDatabase, 'redis://127.0.0.1:1');
    const newKey = async () =>
      JSON.parse((await runCommand(environment, 'audit', 'key', '--json')).stdout) as Record<string, string>;
    const { AUDIT_SIGNING_KEY = '', public_key = '' } = await newKey();
    expect(await runCommand(environment, 'audit', 'heads')).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('AUDIT_SIGNING_KEY is not set: set it to that of the worker'),
    });
    const other = await newKey();
    await audited.addRows(5, 3);
    await audited.seal(AUDIT_SIGNING_KEY);
    const days = (await audited.listSeals()).map(({ day }) => day);
    const handedOut = await runCommand(
      { ...environment, AUDIT_SIGNING_KEY },
      ...['audit', 'heads', '--since', days[3] ?? ''],
    );
    expect(
      handedOut.stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).day),
    ).toEqual(days.slice(3));
    const folder = await mkdtemp(join(tmpdir(), 'voltstream-heads-'));
    const verified = async (lines: string, key: string) => {
      await writeFile(join(folder, 'heads.jsonl'), lines);
      const { exitCode, stdout } = await command(
        ...['--heads', join(folder, 'heads.jsonl'), '--public-key', key, '--json'],
      );
      const [{ problems }] = JSON.parse(stdout).checks as [{ problems: { of: string; problem: string }[] }];
      return [exitCode, problems.map(({ problem }) => problem)];
    };
    const unsigned = 'its head is not signed by this key';
    try {
      expect(await verified(audited.logged(), public_key)).toEqual([0, []]);
      expect(await verified(handedOut.stdout, public_key)).toEqual([0, []]);
      expect(await verified(handedOut.stdout, other.public_key ?? '')).toEqual([1, [unsigned, unsigned]]);
      const [first = ''] = handedOut.stdout.split('\n');
      const { rows } = JSON.parse(first) as { rows: number };
      expect(await verified(first.replace(`"rows":${rows}`, '"rows":7'), public_key)).toEqual([
        1,
        [unsigned],
      ]);
      expect((await command('--public-key', public_key)).stderr).toContain('--public-key needs --heads');
      expect(
        (await command('--heads', join(folder, 'heads.jsonl'), '--public-key', 'short')).stderr,
      ).toContain('short is no public key');
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
