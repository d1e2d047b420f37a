/*
 * Loaded before a service: an operator, or a wrong time server, sets the clock of its machine. At SIGUSR2 the clock on the
 * wall is as many milliseconds ahead as the file says that its own address names (`?file=`). The time that has passed since
 * a moment stays as it is, as on a real machine.
 */
import { readFileSync } from 'node:fs';

const file = new URL(import.meta.url).searchParams.get('file') ?? '';
let ahead = 0;
process.on('SIGUSR2', () => {
  ahead = Number(readFileSync(file, 'utf8'));
});

globalThis.Date = new Proxy(Date, {
  construct: (wall, given: []) =>
    given.length === 0 ? new wall(wall.now() + ahead) : Reflect.construct(wall, given),
  get: (wall, name) => (name === 'now' ? () => wall.now() + ahead : Reflect.get(wall, name)),
});
