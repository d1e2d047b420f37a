import type { VersionChange } from '../../platform/interface/version-change.ts';

export const structuredErrors: VersionChange = {
  version: '2026-05-27.curie',
  summary: 'Errors list every problem',
  before: 'An error had `code`, `message`, `requestId` and `docs`; the message named the first problem.',
  after: '`errors` lists every problem with its code, its field and a sentence.',
  appliesTo: 'all',
  error: ({ errors, ...older }) => older,
};
