import { DateTime } from 'luxon';

/* Instants of rows as milliseconds: what decides about deliveries needs no more, and calculates with them. */

export const instantText = (milliseconds: number) => new Date(milliseconds).toISOString();

export const millisecondsOf = (text: string) => DateTime.fromISO(text).toMillis();
