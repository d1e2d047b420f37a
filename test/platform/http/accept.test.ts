import { expect, test } from 'vitest';
import { pageOrJson } from '../../../src/platform/http/accept.ts';

test.each([
  [undefined, 'page', 'json'],
  ['', 'page', 'json'],
  ['*/*', 'page', 'json'],
  ['image/png', 'page', 'json'],
  ['text/html, application/json', 'page', 'json'],
  ['text/html', 'page', 'page'],
  ['TEXT/HTML', 'page', 'page'],
  ['text/*', 'page', 'page'],
  ['text/html,application/xhtml+xml,*/*;q=0.8', 'page', 'page'],
  ['application/json', 'json', 'json'],
  ['application/*', 'json', 'json'],
  ['application/json, */*;q=0.1', 'json', 'json'],
  ['application/json, text/html;q=0.5', 'json', 'json'],
  ['text/html;q=0, application/json;q=0.1', 'json', 'json'],
  ['text/html;q=x', 'page', 'json'],
] as const)('Accept %s: where pages are usual a %s, where JSON is %s', (accept, withPages, withJson) => {
  expect([pageOrJson(accept, 'page'), pageOrJson(accept, 'json')]).toEqual([withPages, withJson]);
});
