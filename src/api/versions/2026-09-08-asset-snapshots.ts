import type { VersionChange } from '../../platform/interface/version-change.ts';

export const assetSnapshots: VersionChange = {
  version: '2026-09-08.gauss',
  summary: 'Gateways send asset snapshots',
  before: 'Measured values of devices were not part of the interface.',
  after:
    '`POST /asset-snapshots` stores up to 10,000 snapshots entirely or not at all; `GET /asset-snapshots` shows the newest.',
  added: ['GET /asset-snapshots', 'POST /asset-snapshots'],
};
