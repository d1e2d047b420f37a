/** The quarter hours of a day as the calendar of the runtime has them, clock changes included. */
export function berlinQuarterHours(day: string): { time: string; quarter: number; minuteOfDay: number }[] {
  const berlin = new Intl.DateTimeFormat('sv-SE', {
    timeZone: 'Europe/Berlin',
    dateStyle: 'short',
    timeStyle: 'short',
  });
  const noon = Date.parse(`${day}T12:00:00Z`);
  const found: { time: string; quarter: number; minuteOfDay: number }[] = [];
  for (let at = noon - 16 * 3_600_000; at < noon + 16 * 3_600_000; at += 900_000) {
    const [date = '', time = ''] = berlin.format(at).split(' ');
    if (date !== day) continue;
    const [hours = 0, minutes = 0] = time.split(':').map(Number);
    const quarter = Math.ceil(Number(date.slice(5, 7)) / 3);
    found.push({ time, quarter, minuteOfDay: hours * 60 + minutes });
  }
  return found;
}
