import { basic, type TestClient } from '../token-requests.ts';

export interface QuestionAnswer {
  status: number;
  headers: Headers;
  text: string;
  body: Record<string, unknown>;
}

/** Sends a form to `/oauth/revoke` or `/oauth/introspect`, as this client or without a header. */
export async function askAbout(
  baseUrl: string,
  path: '/oauth/revoke' | '/oauth/introspect',
  client: TestClient | null,
  form: Record<string, string> | string,
): Promise<QuestionAnswer> {
  const response = await fetch(`${baseUrl}${path}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      ...(client === null ? {} : { authorization: basic(client) }),
    },
    body: typeof form === 'string' ? form : new URLSearchParams(form).toString(),
  });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: text === '' ? {} : (JSON.parse(text) as Record<string, unknown>),
  };
}
