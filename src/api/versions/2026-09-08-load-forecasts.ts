import type { VersionChange } from '../../platform/interface/version-change.ts';

export const loadForecasts: VersionChange = {
  version: '2026-09-08.gauss',
  summary: 'Load forecasts are no longer taken',
  before: '`POST /load-forecasts` took what a subscription would probably draw, by quarter hour.',
  after: 'The route is gone, and nothing takes its place.',
  removed: [{ route: 'POST /load-forecasts' }],
};
