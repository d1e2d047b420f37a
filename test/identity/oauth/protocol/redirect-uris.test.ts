import { describe, expect, test } from 'vitest';
import {
  formActionSource,
  isRegisteredRedirect,
  lastFormActionSources,
  redirectUriFault,
  redirectWith,
} from '../../../../src/identity/oauth/protocol/redirect-uris.ts';

const harmless = [
  'https://app.example/callback',
  'https://app.example',
  'https://app.example/',
  'https://app.example:8443/cb?tenant=7',
  'http://127.0.0.1:9/cb',
  'http://[::1]:8080/cb',
  'http://localhost:3000/cb',
  'https://app.example/cb?barcode=1;zipcode=2',
  'https://app.example/cb?x[code]=1&promo.code=2',
];

const dangerous = [
  ['relative', '/callback'],
  ['without scheme', '//app.example/cb'],
  ['plain http elsewhere', 'http://app.example/cb'],
  ['a host that begins like loopback', 'http://127.0.0.1.example/cb'],
  ['localhost as a part of a host', 'http://localhost.example/cb'],
  ['credentials', 'https://user@app.example/cb'],
  ['credentials that look like the host', 'https://app.example@evil.example/'],
  ['backslash', 'https://app.example\\@evil.example/'],
  ['fragment', 'https://app.example/cb#x'],
  ['empty fragment', 'https://app.example/cb#'],
  ['encoded slash', 'https://app.example/%2fevil'],
  ['encoded dot', 'https://app.example/%2E%2e/cb'],
  ['encoded backslash', 'https://app.example/%5cevil'],
  ['doubly encoded', 'https://app.example/%252fevil'],
  ['encoded NUL', 'https://app.example/cb%00'],
  ['encoded line end', 'https://app.example/cb%0d%0aSet-Cookie:x'],
  ['encoded at', 'https://app.example%40evil.example/'],
  ['dot segments', 'https://app.example/a/../cb'],
  ['two slashes in the path', 'https://app.example//evil.example'],
  ['semicolon in the path', 'https://app.example/cb;x=1'],
  ['capital letters in the host', 'https://App.Example/cb'],
  ['default port written out', 'https://app.example:443/cb'],
  ['full-width dot', 'https://app\uff0eexample/cb'],
  ['blank', 'https://app.example/c b'],
  ['line end', 'https://app.example/cb\n'],
  ['NUL', 'https://app.example/cb\0'],
  ['braces', 'https://app.example/{cb}'],
  ['number as host', 'https://2130706433/cb'],
  ['script', 'javascript:alert(1)'],
  ['data', 'data:text/html,x'],
  ['file', 'file:///etc/passwd'],
  ['query names code', 'https://app.example/cb?code=1'],
  ['query names state', 'https://app.example/cb?state=1'],
  ['query names iss', 'https://app.example/cb?iss=1'],
  ['query names error_description', 'https://app.example/cb?error_description=1'],
  ['query names access_token', 'https://app.example/cb?access_token=1'],
  ['query names code in disguise', 'https://app.example/cb?%63ode=1'],
  ['query names code behind a semicolon', 'https://app.example/cb?x=1;code='],
  ['query names state behind a semicolon', 'https://app.example/cb?x=1;%73tate=1'],
  ['query names code as a list', 'https://app.example/cb?code[]=1'],
  ['query names code as an encoded list', 'https://app.example/cb?code%5B%5D=1'],
  ['query names code as a list behind a semicolon', 'https://app.example/cb?x;code[0]=1'],
  ['query names iss as an object', 'https://app.example/cb?iss[a]=1'],
  ['query names code in brackets', 'https://app.example/cb?[code]=1'],
  ['query names code with a part', 'https://app.example/cb?code.x=1'],
  ['query names code in capitals', 'https://app.example/cb?Code=1'],
  ['query names code behind a blank', 'https://app.example/cb?+code=1'],
  ['query names error as a list', 'https://app.example/cb?error[]=1'],
  ['query names code without a value', 'https://app.example/cb?x=1;code'],
  ['too long', `https://app.example/${'a'.repeat(2_000)}`],
] as const;

describe('registering a redirect URI', () => {
  test.each(harmless)('accepts %s under both rules', (uri) => {
    expect(redirectUriFault(uri, 'origin')).toBeUndefined();
    expect(redirectUriFault(uri, 'exact')).toBeUndefined();
  });

  test.each(dangerous)('refuses: %s', (_, uri) => {
    expect(redirectUriFault(uri, 'origin')).toBeTypeOf('string');
    expect(redirectUriFault(uri, 'exact')).toBeTypeOf('string');
  });

  test("accepts an application's own scheme only where the text must be exact", () => {
    expect(redirectUriFault('com.example.app:/cb', 'exact')).toBeUndefined();
    expect(redirectUriFault('com.example.app:/cb', 'origin')).toContain('exact');
  });
});

describe('answering to a redirect URI', () => {
  test.each([
    ['https://app.example', 'https://app.example?code=a%20b'],
    ['https://app.example/cb', 'https://app.example/cb?code=a%20b'],
    ['https://app.example/cb?', 'https://app.example/cb?code=a%20b'],
    ['https://app.example/cb?x=1', 'https://app.example/cb?x=1&code=a%20b'],
    ['https://app.example/cb?x=1&', 'https://app.example/cb?x=1&code=a%20b'],
    ['com.example.app:/cb', 'com.example.app:/cb?code=a%20b'],
  ])('%s keeps what it holds', (uri, answer) => {
    expect(redirectWith(uri, { code: 'a b', state: null })).toBe(answer);
  });

  test.each([
    ['https://app.example:8443/cb?x=1', 'https://app.example:8443', ['https://app.example:8443', 'https:']],
    ['http://127.0.0.1:9/cb', 'http://127.0.0.1:9', ['http://127.0.0.1:9', 'http:']],
    ['http://[::1]:8080/cb', 'http:', ['http:']],
    ['com.example.app:/cb', 'com.example.app:', ['com.example.app:']],
  ])('a form may lead to %s, and the last one further', (uri, source, last) => {
    expect(formActionSource(uri)).toBe(source);
    expect(lastFormActionSources(uri)).toEqual(last);
  });

  test("an application's own scheme is compared as text", () => {
    const client = { redirect_uris: ['com.example.app:/cb'], redirect_rule: 'exact' } as const;
    expect(isRegisteredRedirect('com.example.app:/cb', client)).toBe(true);
    expect(isRegisteredRedirect('com.example.app:/other', client)).toBe(false);
    expect(isRegisteredRedirect('com.example.app:/cb', { ...client, redirect_rule: 'origin' })).toBe(false);
  });
});
