import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runCommand } from '../../cli/command-line.ts';
import { Portal } from '../../pages/portal/link.ts';
import { testEnvironment } from '../../setup/api.ts';
import { createHousehold, createOrganization, createSubscription } from '../../setup/factories.ts';
import { auditRows } from '../../setup/stored-rows.ts';
import { authorizeUrl, clientWithCustomer, mailedCode, newEmail, Visitor } from '../oauth/visitor.ts';
import { drawnPng } from './drawn-png.ts';

/* What customers of an organization see it as: set at the command line, seen on portal, sign-in and mails. */

let portal: Portal;
let folder: string;
let environment: Record<string, string>;
let logo: string;

beforeAll(async () => {
  portal = await Portal.start();
  environment = testEnvironment(portal.api.database, 'redis://127.0.0.1:1');
  folder = await mkdtemp(join(tmpdir(), 'brand-'));
  logo = join(folder, 'logo.png');
  await writeFile(logo, drawnPng({ width: 40, height: 20 }));
});
afterAll(async () => {
  await portal.close();
  await rm(folder, { recursive: true, force: true });
});

const why = ['--reason', 'their design guide', '--staff', 'ada'];
const brand = (verb: string, organization: string, ...args: string[]) =>
  runCommand(environment, 'organizations', 'brand', verb, organization, ...args);
const NAMED = ['--name', 'Stadtwerke <Beispiel>', '--color', '#7A1F5C'];

/* Seen within five seconds. */
async function branded(): Promise<void> {
  const made = await brand('set', portal.organization, ...NAMED, '--logo', logo, ...why, '--json');
  expect(made).toMatchObject({ exitCode: 0, stderr: '' });
  const login = async () => (await new Visitor().open(`${portal.url}/login`)).text;
  await expect.poll(login).toContain('<img class="logo"');
}

async function customer(): Promise<{ email: string; customer: string }> {
  const email = newEmail();
  const place = await createHousehold(portal.api.deps, portal.organization, {
    customer: { type: 'person', first_name: 'Käthe', last_name: 'Voß', email },
  });
  await createSubscription(portal.api.deps, portal.organization, place, { status: 'active' });
  return { email, customer: place.customer };
}

async function newestMail(to: string): Promise<string> {
  await mailedCode(portal.api, to);
  const path = portal.api.deps.config.MAIL_FOLDER;
  const mails = await Promise.all((await readdir(path)).map((name) => readFile(join(path, name), 'utf8')));
  return mails.find((text) => text.includes(`To: ${to}`)) ?? '';
}

/* As long as there is one organization: with several the portal asks whose customer one is. */
describe('where it is seen', () => {
  test('on the portal: name, logo and colour, both of files that browsers keep for ever', async () => {
    await branded();
    const visitor = await portal.signedIn((await customer()).customer);
    const { text } = await visitor.open(`${portal.url}/overview`);
    const image =
      /<img class="logo" src="([^"]+)" alt="Stadtwerke &lt;Beispiel&gt;" width="40" height="20">/.exec(
        text,
      )?.[1];
    const style = /<link rel="stylesheet" href="([^"]+\/brand\/[^"]+)">/.exec(text)?.[1];
    const files = await Promise.all(
      [image, style].map(async (path) => await fetch(`${portal.api.baseUrl}${path}`)),
    );
    expect(files.map(({ status }) => status)).toEqual([200, 200]);
    expect(files.map(({ headers }) => headers.get('content-type'))).toEqual([
      'image/png',
      'text/css; charset=utf-8',
    ]);
    for (const { headers } of files) {
      expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
      expect(headers.get('x-content-type-options')).toBe('nosniff');
    }
    expect(Buffer.from((await files[0]?.arrayBuffer()) ?? new ArrayBuffer(0))).toEqual(
      drawnPng({ width: 40, height: 20 }),
    );
    expect(await files[1]?.text()).toContain('--accent: #7a1f5c');
  });

  test('on the sign-in of the portal and of a client, and on no page of the console', async () => {
    await branded();
    const visitor = new Visitor();
    const login = await visitor.open(`${portal.url}/login`);
    expect(login.text).toContain('alt="Stadtwerke &lt;Beispiel&gt;"');
    const { client } = await clientWithCustomer(portal.api, {}, portal.organization);
    const other = new Visitor();
    const ofClient = await other.follow(
      await other.open(authorizeUrl(portal.api, { client_id: client.id })),
      portal.api.baseUrl,
    );
    expect(ofClient.text).toMatch(
      /<img class="logo" src="\/auth\/brand\/org_[0-9a-z]{24}-[0-9a-f]{16}\.png"/,
    );
    const ofConsole = await new Visitor().open(`${portal.api.baseUrl}/console/login`);
    expect([ofConsole.status, ofConsole.text.includes('logo')]).toEqual([200, false]);
  });

  test('on mails: the same text, in its colour and with its logo inside, from its name', async () => {
    await branded();
    const { email } = await customer();
    const visitor = new Visitor();
    await visitor.submit(await visitor.open(`${portal.url}/login`), { email });
    const code = await mailedCode(portal.api, email);
    expect(code).toMatch(/^\d{6}$/);
    const mail = await newestMail(email);
    expect(mail).toMatch(/^From: "?Stadtwerke <Beispiel>"? <voltstream@localhost>$/m);
    expect(mail).toContain('Content-Type: text/plain');
    expect(mail).toContain('Content-Type: text/html');
    expect(mail).toContain('Content-ID: <logo@letterhead>');
    const html = mail
      .slice(mail.indexOf('Content-Type: text/html'))
      .replaceAll('=\n', '')
      .replaceAll('=3D', '=');
    expect(html).toContain('border-top:4px solid #7a1f5c');
    expect(html).toContain(`    ${code}</pre>`);
    expect(html).not.toMatch(/(?:src|href)="(?!cid:)/);
  });

  test('a file of another version, organization or name is not there', async () => {
    await branded();
    const at = (name: string) => fetch(`${portal.url}/overview/brand/${name}`);
    const names = [
      `${portal.organization}-0000000000000000.png`,
      `org_${'0'.repeat(24)}-0000000000000000.css`,
      'x.png',
      '..%2f..%2fstyle.css',
    ];
    for (const name of names) expect([name, (await at(name)).status]).toEqual([name, 404]);
  });

  test('an organization without one has the look of the service, and mails of text alone', async () => {
    await brand('remove', portal.organization, ...why);
    const { email } = await customer();
    const visitor = new Visitor();
    const login = await visitor.open(`${portal.url}/login`);
    await visitor.submit(login, { email });
    expect(await newestMail(email)).not.toContain('text/html');
  });
});

describe('organizations brand', () => {
  test('set, show and remove leave a line of the audit log each; what is left out stays', async () => {
    const organization = await createOrganization(portal.api.deps);
    const made = await brand('set', organization, ...NAMED, '--logo', logo, ...why, '--json');
    const { version, ...shown } = JSON.parse(made.stdout) as { version: string };
    expect(shown).toMatchObject({
      ...{ name: 'Stadtwerke <Beispiel>', color: '#7a1f5c', logo_width: 40, logo_height: 20 },
    });
    const changed = await brand('set', organization, '--color', '#0a5c8f', ...why, '--json');
    expect(JSON.parse(changed.stdout)).toMatchObject({
      ...{ name: 'Stadtwerke <Beispiel>', color: '#0a5c8f', logo_width: 40 },
      version: expect.not.stringMatching(version),
    });
    expect((await brand('show', organization, '--json')).stdout).toBe(changed.stdout);
    expect(await brand('remove', organization, ...why)).toMatchObject({ exitCode: 0, stderr: '' });
    expect(await brand('show', organization)).toMatchObject({
      exitCode: 1,
      stderr: `There is no brand of ${organization}\n`,
    });
    const line = { staff: 'ada', reason: 'their design guide', object_id: organization };
    const [, ...lines] = await auditRows(portal.api, organization, 'organization');
    expect(lines).toEqual([
      expect.objectContaining({ ...line, act: 'organization.set_brand', route: 'organizations brand set' }),
      expect.objectContaining({ ...line, act: 'organization.set_brand', route: 'organizations brand set' }),
      expect.objectContaining({
        ...{ ...line, act: 'organization.remove_brand', route: 'organizations brand remove' },
      }),
    ]);
  });

  test.each([
    [['--color', '#7cc4f0'], 'color: #7cc4f0 stands out from a page by 1.6 to 1, letters need 4.5 to 1; #'],
    [['--color', 'blue'], 'color: blue is no colour of six digits, as #0a5c8f'],
    [['--name', ''], 'name'],
    [[], 'A name, a color or a logo is needed'],
    [['--logo', '/nowhere.png'], 'The file cannot be read'],
  ])('%j is refused with what is wrong, and nothing is stored', async (args, message) => {
    const organization = await createOrganization(portal.api.deps);
    const refused = await brand('set', organization, ...args, ...why);
    expect([refused.exitCode, refused.stderr]).toEqual([1, expect.stringContaining(message)]);
    expect((await brand('show', organization)).exitCode).toBe(1);
  });

  test('a logo that is no PNG is named, with every other problem', async () => {
    const organization = await createOrganization(portal.api.deps);
    const svg = join(folder, 'logo.svg');
    await writeFile(svg, '<svg xmlns="http://www.w3.org/2000/svg"/>');
    const { stderr } = await brand('set', organization, '--logo', svg, '--color', '#fff', ...why);
    expect(stderr).toContain('logo: logo.svg is no PNG');
    expect(stderr).toContain('color: #fff is no colour of six digits');
  });
});
