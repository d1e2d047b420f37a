import { InvalidArgumentError } from 'commander';
import { READING_KWH_MAX } from '../../contracts/meter-readings/schema.ts';
import { meterNumberText } from '../../contracts/meters/schema.ts';

export function meterNumber(text: string): string {
  if (meterNumberText.safeParse(text).success) return text;
  throw new InvalidArgumentError('1 to 255 characters, not only blanks.');
}

/** A new device may begin at 0. */
export function kilowattHours(text: string): string {
  if (/^\d{1,12}(\.\d{1,6})?$/.test(text) && Number(text) <= READING_KWH_MAX) return text;
  throw new InvalidArgumentError(`A number of at most ${READING_KWH_MAX}, as 18342.7.`);
}
