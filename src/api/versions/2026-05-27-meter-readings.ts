import type { VersionChange } from '../../platform/interface/version-change.ts';

export const meterReadings: VersionChange = {
  version: '2026-05-27.curie',
  summary: 'Meter readings have a list of their own',
  before: '`/subscriptions/{id}/meter_readings` listed and took the readings of one subscription.',
  after:
    '`GET /meter-readings` lists all readings and is filtered by `subscription`; `POST /meter-readings` names the subscription in its body.',
  added: ['GET /meter-readings', 'POST /meter-readings'],
  removed: [
    {
      route: 'GET /subscriptions/{id}/meter_readings',
      instead: 'GET /meter-readings?filter[subscription][eq]={id}',
    },
    { route: 'POST /subscriptions/{id}/meter_readings', instead: 'POST /meter-readings' },
  ],
};
