import { newId } from '../../src/platform/ids.ts';
import { addDays } from '../../src/platform/time/berlin-calendar.ts';
import { storedRows } from '../setup/stored-rows.ts';
import { counter, idOf, type Noun, type Shown } from './table/row.ts';

declare module './table/row.ts' {
  interface Place {
    /** Of the metered contract. */
    readings: readonly string[];
  }
}

const CURIE = '2026-05-27.curie';
const unique = counter();

/** One a day, each behind the one before: between two readings nobody but the supplier enters one. The meter stands still. */
const newReading = () => ({ value: 1000, timestamp: `${addDays('2000-01-03', unique())}T12:00:00Z` });

const reading: Shown = {
  object: 'meter_reading',
  fields: 'id customer subscription meter value timestamp type created_at',
};

export const noun: Noun = {
  routes: {
    'GET /meter-readings': {
      whose: 'customer',
      since: CURIE,
      path: ({ metered }) => `/meter-readings?filter[subscription][eq]=${metered}`,
      shows: { ...reading, isList: true },
      list: {
        all: () => '/meter-readings?',
        shown: ({ readings }) => readings,
        idOf,
        filters: { subscription: ({ metered }) => metered },
        words: { type: 'customer_report' },
      },
    },
    'POST /meter-readings': {
      whose: 'customer',
      since: CURIE,
      path: () => '/meter-readings',
      body: ({ metered }) => ({ subscription: metered, ...newReading() }),
      shows: reading,
      references: { subscription: (_own, { metered }) => ({ subscription: metered, ...newReading() }) },
      bodies: {
        mayBeEmpty: ['message'],
        full: ({ metered }) => [{ subscription: metered, ...newReading(), message: 'Display read twice' }],
      },
    },
    'GET /subscriptions/{id}/meter_readings': {
      whose: 'customer',
      removed: { in: CURIE, instead: 'GET /meter-readings?filter[subscription][eq]={id}' },
      path: ({ metered }) => `/subscriptions/${metered}/meter_readings`,
      shows: { ...reading, isList: true },
    },
    'POST /subscriptions/{id}/meter_readings': {
      whose: 'customer',
      removed: { in: CURIE, instead: 'POST /meter-readings' },
      path: ({ metered }) => `/subscriptions/${metered}/meter_readings`,
      body: newReading,
      shows: reading,
      references: {},
    },
  },
  make: async ({ api, organization, ids: { customer, metered } }) => {
    const readings = [newId('mr'), newId('mr')];
    await storedRows(
      api,
      `INSERT INTO meter_readings
         (organization_id, customer_id, subscription_id, meter_id, id, value, read_on, type)
       SELECT organization_id, customer_id, id, meter_id, reading, 1000, '2000-01-01'::date + day::int, 'customer_report'
         FROM subscriptions, unnest($4::text[]) WITH ORDINALITY AS readings (reading, day)
        WHERE organization_id = $1 AND customer_id = $2 AND id = $3`,
      [organization, customer, metered, readings],
    );
    return { readings, private: readings };
  },
};
