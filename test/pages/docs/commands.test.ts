import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { projectFolder } from '../../../scripts/data-folder.mjs';
import { startBlock } from '../../../src/cli/demo/start/block.ts';
import type { StartFacts } from '../../../src/cli/local/facts.ts';
import { runCommand } from '../../cli/command-line.ts';
import { testEnvironment } from '../../setup/api.ts';
import { createMarketPartner } from '../../setup/factories.ts';
import { type QuoteService, startQuoteService } from '../../tariffs/quotes/quote-service.ts';

/* What readers copy: commands of the documents are understood, examples of the description are taken. */

/** The name of a noun and of a verb, and what follows: as it is typed, without what is optional. */
const COMMAND = /npm run(?: -s)? cli -- ([a-z][a-z-]*(?: (?:\\\n|[^`\n])*)?)/g;

/** Words in capitals stand for what a reader fills in. */
const FILLED: readonly (readonly [RegExp, string])[] = [
  [/\bDAY\b/g, '2026-10-01'],
  [/\bMONTH\b/g, '2026-10'],
  [/\b(?:NUMBER|N|KWH)\b/g, '1000'],
  [/\bZIP\b/g, '10115'],
];

function commandsOf(document: string): string[][] {
  return [...document.matchAll(COMMAND)].map(([, typed = '']) => {
    let line = typed.replaceAll('\\\n', ' ');
    for (const [placeholder, value] of FILLED) line = line.replaceAll(placeholder, value);
    line = line.replace(/\[[^\]]*\]/g, '').split(/\)"|<\/|\s[|<>&]|;|(?<=\w)[,):.]+(?:\s|$)/)[0] ?? '';
    return [...line.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(
      ([, first, two, three]) => first ?? two ?? three ?? '',
    );
  });
}

const AWAY = 'postgres://nobody:x@127.0.0.1:1/nowhere';
/** Nothing is reached, and nothing of a local start in this folder: a command that is understood fails with 1. */
const environment = {
  ...testEnvironment({ appUrl: AWAY, maintenanceUrl: AWAY }, 'redis://127.0.0.1:1'),
  DATABASE_OWNER_URL: AWAY,
  /* Where no reason is asked for. */
  APP_ENV: 'local',
};

describe('commands of the documents', async () => {
  const places = [
    'README.md',
    ...(await readdir(join(projectFolder, 'docs'), { recursive: true }))
      .filter((name) => name.endsWith('.md'))
      .map((name) => `docs/${name}`),
    ...[
      ...['home', 'guide/start', 'guide/gateways', 'guide/customers'],
      ...['quotes', 'topics', 'dictionary'],
    ].map((name) => `src/pages/docs/views/${name}.eta`),
  ];
  const found = new Set<string>();
  for (const place of places) {
    for (const args of commandsOf(await readFile(join(projectFolder, place), 'utf8')))
      found.add(JSON.stringify(args));
  }
  const commands = [...found].map((text) => JSON.parse(text) as string[]);

  test('are found', () => {
    expect(commands.length).toBeGreaterThan(20);
    expect(found).toContain('["invoices","list"]');
  });

  test.concurrent.each(commands.map((args) => [args.join(' '), args] as const))(
    '%s is understood',
    async (_text, args) => {
      /* A noun alone names its commands. */
      const commands =
        args.length === 1 && args[0] !== 'env' && args[0] !== 'listen' ? [...args, '--help'] : args;
      const { exitCode, stderr } = await runCommand(environment, ...commands);
      expect([exitCode === 2, exitCode === 2 ? stderr : '']).toEqual([false, '']);
    },
  );
});

test('the lines of a start are as many as the README says', async () => {
  const facts = {
    assets: [],
    household: 'dom_x',
    base_url: 'http://x',
    prices: 'real',
  } as unknown as StartFacts;
  const block = startBlock(facts).split('\n');
  const lines = block.slice(block.indexOf('  Try') + 1).filter((line) => !line.startsWith('  '));
  const readme = await readFile(join(projectFolder, 'README.md'), 'utf8');
  const word = ['no', 'one', 'two', 'three', 'four', 'five', 'six'][lines.length];
  expect(readme).toContain(`a demo key and ${word} lines to paste`);
  expect(readme).toContain(`Try      ${word} lines, ready to paste`);
});

describe('examples of the description', () => {
  let service: QuoteService;
  beforeAll(async () => {
    service = await startQuoteService();
  });
  afterAll(() => service?.api.close());

  test.each(['/subscriptions', '/leads', '/plans/{id}/quote', '/plans/{id}/savings'])(
    'the body of POST %s is taken by a service with the reference data of the project and the plans of the demo',
    async (path) => {
      const description = await fetch(`${service.api.baseUrl}/openapi.2026-09-08.gauss.json`);
      const { paths } = (await description.json()) as {
        paths: Record<
          string,
          { post: { requestBody: { content: { 'application/json': { example: object } } } } }
        >;
      };
      const body = paths[path]?.post.requestBody.content['application/json'].example ?? {};
      const plan = service.plans.dynamisch;
      const { id } = await createMarketPartner(service.api.deps);
      /* Ids are the reader's own. */
      const own = {
        ...body,
        ...('plan' in body && { plan }),
        ...('previous_supplier' in body && { previous_supplier: id }),
      };
      const answer = await service.client().post(path.replace('{id}', plan), own);
      expect([answer.status, answer.body.errors]).toEqual([200, undefined]);
    },
  );
});
