import { InvalidArgumentError } from 'commander';
import { readSecret } from '../engine/ask.ts';
import { flag, option } from '../engine/fields.ts';
import { commandIo } from '../engine/io.ts';
import type { StartFacts } from '../local/facts.ts';
import { readJsonFile, startFiles } from '../local/folder.ts';

/** What a gateway has: an address, and the credentials of a client. Those of `npm start` where nothing is said. */
export const GATEWAY = {
  base_url: option('<address>', 'of the service; that of npm start where absent', baseUrl),
  client_id: option('<id>', 'oac_…; that of npm start where absent'),
  secret_stdin: flag('takes the secret of the client, ocs_…, from the standard input'),
};

export interface GatewayCredentials {
  readonly baseUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
}

function baseUrl(text: string): string {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new InvalidArgumentError('An http(s) address, as https://energy.example.com.');
  return url.origin;
}

export async function gatewayCredentials(given: {
  base_url?: string;
  client_id?: string;
  secret_stdin?: boolean;
}): Promise<GatewayCredentials> {
  const facts = await readJsonFile<Partial<StartFacts>>(startFiles.facts);
  /* A secret belongs to its client and a client to its service: parts of the local start are not mixed with others. */
  const isLocal = given.client_id === undefined && given.base_url === undefined;
  const clientId = given.client_id ?? (isLocal ? facts?.client_id : undefined);
  const isTyped = given.secret_stdin === true;
  const localSecret = isLocal && !isTyped ? facts?.client_secret : undefined;
  const address = given.base_url ?? facts?.base_url;
  const missing = [
    address === undefined ? '--base-url' : '',
    clientId === undefined ? '--client-id' : '',
    isTyped || localSecret !== undefined ? '' : '--secret-stdin',
  ].filter((name) => name !== '');
  if (address === undefined || clientId === undefined || missing.length > 0)
    throw new Error(
      isLocal
        ? `Give ${missing.join(', ')}, or run npm start, whose client is taken where nothing is said`
        : `With ${given.base_url === undefined ? '--client-id' : '--base-url'} also give ${missing.join(' and ')}`,
    );
  return { baseUrl: address, clientId, clientSecret: localSecret ?? (await readSecret(commandIo())) };
}
