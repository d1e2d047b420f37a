import { readFile } from 'node:fs/promises';

const KINDS = ['WT', 'SA', 'FT'];

/** The profile of households as the reference data have it: month, kind of day, quarter hour. */
export async function h25(): Promise<number[][][]> {
  const profile = Array.from({ length: 12 }, () => KINDS.map(() => Array.from({ length: 96 }, () => 0)));
  const text = await readFile(new URL('../../../reference/load_profiles.csv', import.meta.url), 'utf8');
  for (const line of text.trim().split('\n').slice(1)) {
    const [name, month, kind = '', quarterHour, kwh] = line.split(',');
    const ofDay = profile[Number(month) - 1]?.[KINDS.indexOf(kind)];
    if (name === 'h25' && ofDay !== undefined) ofDay[Number(quarterHour)] = Number(kwh);
  }
  return profile;
}
