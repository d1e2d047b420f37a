import type { Event } from './schema.ts';

export const eventExample: Event = {
  id: 'evt_096h7tbtcaoe2c1exfawakq3',
  topic: 'subscription.activated',
  timestamp: '2026-11-30T23:00:04.481Z',
  context: { subscription: 'sub_jule0brandt0strom0000001' },
};
