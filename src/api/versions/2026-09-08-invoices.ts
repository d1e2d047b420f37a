import { INVOICE_TYPES, type invoice } from '../../billing/invoices/schema.ts';
import type { VersionChange } from '../../platform/interface/version-change.ts';

const version = '2026-09-08.gauss';

const older = INVOICE_TYPES.filter((type) => type !== 'exit_summary');

export const exitSummaries: VersionChange = {
  version,
  name: 'exit summaries',
  summary: 'Exit summaries of ended contracts are shown',
  before: 'Exit summaries were left out of lists; by id they were not found.',
  after: '`type` may be `exit_summary`: the document that settles corrections of an ended contract.',
  appliesTo: { object: 'invoice' },
  schema: {
    response: (newer) => {
      const { shape } = newer as typeof invoice;
      return (newer as typeof invoice).extend({ type: shape.type.exclude(['exit_summary']) });
    },
  },
};

export const exitSummaryFilter: VersionChange = {
  version,
  summary: 'Invoices are filtered by exit summaries too',
  before: '`filter[type]` took `usage`, `prepayment` and `void`.',
  after: '`filter[type]` takes `exit_summary` too.',
  appliesTo: ['GET /invoices'],
  schema: { filters: (newer) => ({ ...newer, type: { type: 'enum', values: older } }) },
};
