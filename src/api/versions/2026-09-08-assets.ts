import type { VersionChange } from '../../platform/interface/version-change.ts';

export const assets: VersionChange = {
  version: '2026-09-08.gauss',
  summary: 'Devices of a household are assets',
  before: 'Devices were not part of the interface.',
  after:
    'Inverters, solar arrays, batteries, wallboxes and heat pumps are added, read, changed and decommissioned.',
  added: [
    'GET /assets',
    'POST /assets',
    'GET /assets/{id}',
    'PATCH /assets/{id}',
    'POST /assets/{id}/decommission',
  ],
};
