import { Command, InvalidArgumentError } from 'commander';
import { tellStarter } from '../../platform/http/listen.ts';
import { type Feed, startFeed } from './feed/server.ts';
import { FEED_SOURCES, feedChange, sentencesOf } from './feed/switches.ts';

/* `npm run feed`: prices without the internet, for demos and tests. */

interface FeedCommandOptions {
  port: number;
  now?: string;
  switch: Record<string, Record<string, unknown>>;
  json: boolean;
}

const DEFAULT_PORT = 4310;
const EXIT_FAILED = 1;
const EXIT_NOT_UNDERSTOOD = 2;

/** `smard.status=503` into `{ smard: { status: 503 } }`; what is no JSON is a text. */
function collectSwitch(given: string, before: FeedCommandOptions['switch']): FeedCommandOptions['switch'] {
  const [, source, name, text] = /^([a-z-]+)\.([a-z0-9_]+)=(.*)$/s.exec(given) ?? [];
  if (source === undefined || name === undefined || text === undefined) {
    throw new InvalidArgumentError('Expected source.switch=value.');
  }
  return { ...before, [source]: { ...before[source], [name]: switchValue(text) } };
}

function switchValue(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function portOf(text: string): number {
  const port = Number(text);
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port;
  throw new InvalidArgumentError('Expected a port, 0 to 65535.');
}

function describe(feed: Feed): string {
  return [
    `Synthetic price feed at ${feed.url}: invented values in the forms of the sources, no market prices.`,
    ...FEED_SOURCES.map((source) => `  ${source.padEnd(15)} ${feed.url}/${source}`),
    'Tokens of ENTSO-E and energyforecast.de: demo',
    `Switches: PUT ${feed.url}/_feed {"smard":{"status":503}}; GET shows them and how often each source was asked.`,
    'Ctrl-C ends it.',
  ].join('\n');
}

const options = new Command('npm run feed --')
  .description('Serves invented day-ahead prices in the forms of the real sources, on this machine only.')
  .option('--port <number>', 'where it listens; 0 takes any free port', portOf, DEFAULT_PORT)
  .option('--now <instant>', "the feed's clock, ISO 8601 with an offset; it then stands still")
  .option('--switch <source.name=value>', 'for example smard.status=503; may be repeated', collectSwitch, {})
  .option('--json', 'print the addresses as one JSON object', false)
  .exitOverride((end) => process.exit(end.exitCode === 0 ? 0 : EXIT_NOT_UNDERSTOOD))
  .parse()
  .opts<FeedCommandOptions>();

const change = feedChange.safeParse({ ...(options.now && { now: options.now }), ...options.switch });
if (!change.success) {
  process.stderr.write(`${sentencesOf(change.error).join('\n')}\n`);
  process.exit(EXIT_NOT_UNDERSTOOD);
}
try {
  const { now = null, ...switches } = change.data;
  const feed = await startFeed({ port: options.port, now, switches });
  const sources = Object.fromEntries(FEED_SOURCES.map((source) => [source, `${feed.url}/${source}`]));
  const facts = { url: feed.url, synthetic: true, token: 'demo', sources };
  process.stdout.write(`${options.json ? JSON.stringify(facts) : describe(feed)}\n`);
  const end = () => {
    void feed.close();
    /* The channel to a starting process would keep this one alive. */
    if (process.connected) process.disconnect?.();
  };
  /* Started by `npm start`: says where it listens, and ends with it. */
  tellStarter(feed.url);
  if (process.connected) process.once('disconnect', end);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, end);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = EXIT_FAILED;
}
