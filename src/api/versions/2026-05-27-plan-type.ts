import type { z } from 'zod';
import type { VersionChange } from '../../platform/interface/version-change.ts';

export const planType: VersionChange = {
  version: '2026-05-27.curie',
  summary: 'Plans say of which type they are',
  before: 'A plan had no `type`; all plans shown were consumption plans.',
  after: '`type` is `consumption` or `feed_in`.',
  appliesTo: { object: 'plan' },
  schema: { response: (newer) => (newer as z.ZodObject).omit({ type: true }) },
  response: ({ type, ...older }) => older,
};
