import type { VersionChange } from '../../platform/interface/version-change.ts';

export const savings: VersionChange = {
  version: '2026-09-08.gauss',
  summary: 'What a household saves with a plan can be asked for',
  before: 'A client compared quotes and worked out by itself what a car, a heat pump or a battery changes.',
  after:
    '`POST /plans/{id}/savings` prices a plan for a described household against its current tariff or the mean of the market.',
  added: ['POST /plans/{id}/savings'],
};
