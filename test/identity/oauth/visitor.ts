import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestApi } from '../../setup/api.ts';
import { createHousehold } from '../../setup/factories.ts';
import {
  basic,
  registeredClient,
  requestToken,
  type TestClient,
  type TokenAnswer,
} from './token-requests.ts';

export const REDIRECT_URI = 'https://app.example/callback';

/** An address that `example.org` delivers to nobody. */
export function newEmail(): string {
  return `kunde-${crypto.randomUUID()}@example.org`;
}

/** What a browser shows after it followed an address. */
export interface Page {
  url: string;
  status: number;
  headers: Headers;
  text: string;
}

/** A browser without scripts: keeps cookies, follows no redirect by itself. */
export class Visitor {
  readonly cookies = new Map<string, string>();
  readonly #headers: Record<string, string>;

  constructor(language = 'en', headers: Record<string, string> = {}) {
    this.#headers = { 'accept-language': language, ...headers };
  }

  /** Another browser in the same place. */
  twin(): Visitor {
    return new Visitor(undefined, this.#headers);
  }

  async open(url: string, init: RequestInit = {}): Promise<Page> {
    const response = await fetch(url, {
      ...init,
      redirect: 'manual',
      headers: {
        accept: 'text/html',
        ...this.#headers,
        cookie: [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
        ...(init.headers as Record<string, string> | undefined),
      },
    });
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      this.cookies.set(name, value);
    }
    return { url, status: response.status, headers: response.headers, text: await response.text() };
  }

  /** Follows redirects as long as they lead to pages of the service. */
  async follow(page: Page, origin: string): Promise<Page> {
    let at = page;
    while (at.status === 302 || at.status === 303) {
      const location = at.headers.get('location') ?? '';
      if (!location.startsWith(`${origin}/`)) return at;
      at = await this.open(location);
    }
    return at;
  }

  /** Sends the page's form, with its protection against forgery unless the fields say otherwise. */
  async submit(
    page: Page,
    fields: Record<string, string>,
    more: { signal?: AbortSignal; headers?: Record<string, string> } = {},
  ): Promise<Page> {
    const action = /<form method="post" action="([^"]+)"/.exec(page.text)?.[1];
    const _csrf = /name="_csrf" value="([^"]+)"/.exec(page.text)?.[1];
    if (action === undefined || _csrf === undefined) throw new Error(`No form: ${page.status} ${page.text}`);
    const body = new URLSearchParams({ _csrf, ...fields }).toString();
    return await this.open(new URL(action, page.url).href, {
      method: 'POST',
      body,
      ...more,
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...more.headers },
    });
  }
}

/** Somebody clicks twice: the browser drops the first answer with its cookies, and shows the second. */
export async function submitTwice(
  visitor: Visitor,
  page: Page,
  fields: Record<string, string>,
  order: 'at once' | 'one by one',
): Promise<Page> {
  const dropped = visitor.twin();
  for (const [name, value] of visitor.cookies) dropped.cookies.set(name, value);
  const first = dropped.submit(page, fields);
  if (order === 'one by one') await first;
  const [second] = await Promise.all([visitor.submit(page, fields), first]);
  return second;
}

/** The last code that was sent to this address; undefined when none was. */
export async function mailedCode(api: Pick<TestApi, 'deps'>, email: string): Promise<string | undefined> {
  await api.deps.mail.idle();
  const folder = api.deps.config.MAIL_FOLDER;
  const mails = await Promise.all(
    (await readdir(folder).catch(() => [])).map(async (name) => {
      const file = join(folder, name);
      return { file, at: (await stat(file, { bigint: true })).mtimeNs };
    }),
  );
  for (const { file } of mails.sort((left, right) => (left.at < right.at ? 1 : -1))) {
    const text = await readFile(file, 'utf8');
    if (text.includes(`To: ${email}`)) return /^ {4}(\d{6}|[2-9A-Z]{10})$/m.exec(text)?.[1];
  }
  return undefined;
}

export function authorizeUrl(api: Pick<TestApi, 'baseUrl'>, parameters: Record<string, string>): string {
  const query = new URLSearchParams({ response_type: 'code', redirect_uri: REDIRECT_URI, ...parameters });
  return `${api.baseUrl}/oauth/authorize?${query}`;
}

/** A client for the authorization code flow, in an organization with one customer. */
export async function clientWithCustomer(
  api: Pick<TestApi, 'deps'>,
  input: Parameters<typeof registeredClient>[1] = {},
  organization?: string,
): Promise<{ client: TestClient; email: string; customer: string; household: string }> {
  const client = await registeredClient(api.deps, { redirect_uris: [REDIRECT_URI], ...input }, organization);
  const email = newEmail();
  const { customer, household } = await createHousehold(api.deps, client.organization, {
    customer: { type: 'person', first_name: 'Käthe', last_name: 'Voß', email },
  });
  return { client, email, customer, household };
}

/** Where a browser without a session comes out: the form that asks for the address. */
export async function loginPage(
  api: Pick<TestApi, 'baseUrl'>,
  visitor: Visitor,
  parameters: Record<string, string>,
): Promise<Page> {
  return await visitor.follow(await visitor.open(authorizeUrl(api, parameters)), api.baseUrl);
}

/** Of a customer and a client of their own: codes of one address are counted by the hour. */
export async function consentPage(
  api: Pick<TestApi, 'baseUrl' | 'deps'>,
  visitor: Visitor,
  parameters: Record<string, string> = {},
) {
  const made = await clientWithCustomer(api);
  const address = authorizeUrl(api, { client_id: made.client.id, ...parameters });
  return { ...made, page: await signIn(api, visitor, address, made.email) };
}

export function wrongFor(code: string | undefined): string {
  return code === '000000' ? '000001' : '000000';
}

/** From the authorize address to the page behind the code. */
export async function signIn(
  api: Pick<TestApi, 'baseUrl' | 'deps'>,
  visitor: Visitor,
  address: string,
  email: string,
): Promise<Page> {
  const origin = api.baseUrl;
  const login = await visitor.follow(await visitor.open(address), origin);
  const verify = await visitor.follow(await visitor.submit(login, { email }), origin);
  const code = (await mailedCode(api, email)) ?? '';
  return await visitor.follow(await visitor.submit(verify, { code }), origin);
}

/** The whole way of a customer who consents; what the client is called back with. */
export async function consented(
  api: Pick<TestApi, 'baseUrl' | 'deps'>,
  client: TestClient,
  email: string,
  parameters: Record<string, string> = {},
): Promise<URLSearchParams> {
  const visitor = new Visitor();
  const consent = await signIn(
    api,
    visitor,
    authorizeUrl(api, { client_id: client.id, ...parameters }),
    email,
  );
  const back = await visitor.submit(consent, { decision: 'allow' });
  return answerOf(back);
}

/** What a redirect tells the client. */
export function answerOf(page: Page): URLSearchParams {
  const location = page.headers.get('location');
  if (location === null) throw new Error(`No redirect: ${page.status} ${page.text}`);
  return new URL(location).searchParams;
}

export async function exchange(
  api: Pick<TestApi, 'baseUrl'>,
  client: TestClient,
  code: string,
  more: Record<string, string> = {},
): Promise<TokenAnswer> {
  const body = { grant_type: 'authorization_code', code, redirect_uri: REDIRECT_URI, ...more };
  return client.secret === ''
    ? await requestToken(api.baseUrl, { client_id: client.id, ...body })
    : await requestToken(api.baseUrl, body, { authorization: basic(client) });
}
