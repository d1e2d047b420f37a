import type { VersionChange } from '../../platform/interface/version-change.ts';
import { topics } from '../topics.ts';

const version = '2026-05-27.curie';

const older = new Set(topics.filter(({ since }) => since < version).map(({ name }) => name));

export const eventTopics: VersionChange = {
  version,
  summary: 'Events of terminations, invoices and meter orders are shown',
  before:
    '`GET /events` showed `subscription.created`, `.confirmed`, `.activated` and `.ended` only; other events were not found.',
  after:
    'It also shows `subscription.terminated` and all topics of invoices and meter orders. Webhooks have no version: they always had every topic.',
  appliesTo: ['GET /events'],
  schema: {
    filters: ({ topic, ...others }) => ({
      ...others,
      topic: { type: 'enum', values: topic?.values?.filter((value) => older.has(value)) ?? [] },
    }),
  },
};
