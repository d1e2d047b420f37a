import fc from 'fast-check';
import { missingIds } from '../routes/table/place.ts';
import type { Ids } from '../routes/table/row.ts';

/*
 * A drawn request names what only the running service knows: ids, tokens, cursors. It holds a marker in their place, so that
 * one seed draws the same requests each time. A marker stays as it is in an address.
 */

export type Known = (of: string, name: string) => string;

export const marker = (of: string, name: string | number): string => `~${of}.${name}~`;

/** The text with what its markers stand for. */
export function resolved(text: string, known: Known): string {
  return text.replaceAll(/~([a-z]\w*)\.(\w+)~/g, (_whole, of: string, name: string) => known(of, name));
}

/** Those of a customer, of another one of the same organization, of another organization, and what nobody has. */
const PLACES = ['a1', 'a2', 'b1', 'none'] as const;

const idNames = Object.keys(missingIds());

const markersOf = (place: string): Ids =>
  Object.fromEntries(idNames.map((name) => [name, marker(place, name)])) as unknown as Ids;

/** All ids of one customer, most often of the one whom tokens and bodies are about. */
export const placeMarkers: fc.Arbitrary<Ids> = fc.oneof(
  { weight: 6, arbitrary: fc.constant(markersOf('a1')) },
  fc.constantFrom(...PLACES.map(markersOf)),
);

const letters = (text: string) => text.toLowerCase().replaceAll('_', '');

/** An id for a field of this name. */
export function idMarkers(field: string): fc.Arbitrary<string> {
  const fitting = idNames.filter((name) => letters(field).includes(letters(name)));
  return fc
    .tuple(
      fc.constantFrom('a1', 'a1', ...PLACES),
      fc.oneof(
        { weight: 4, arbitrary: fc.constantFrom(...(fitting.length > 0 ? fitting : idNames)) },
        fc.constantFrom(...idNames),
      ),
    )
    .map(([place, name]) => marker(place, name));
}
