import type { DeliveryDay } from '../calendar.ts';
import type { WireAnswer } from '../series.ts';
import { answerOf, quoted, rejected } from './body.ts';
import { instantFrom } from './instants.ts';
import {
  assertLiteral,
  JsonNumber,
  listOf,
  objectOf,
  parseJsonBody,
  shownJson,
  textOf,
} from './json-body.ts';

export const NORDPOOL_AREA = 'GER';
const STATES = ['Preliminary', 'Final'] as const;

/** That the day was published, how often, and when: none of the prices in the body is read. */
export interface Publication {
  readonly status: 'read';
  readonly state: (typeof STATES)[number];
  readonly version: string;
  /** As it stands: up to seven decimals of a second. */
  readonly updatedAt: string;
}

export type PublicationAnswer = Publication | Extract<WireAnswer, { status: 'failed' | 'rejected' }>;

export function readNordpool(body: Uint8Array, deliveryOn: DeliveryDay): PublicationAnswer {
  return answerOf(() => {
    const document = objectOf(parseJsonBody(body), 'The body');
    assertLiteral(document.deliveryDateCET, 'deliveryDateCET', deliveryOn);
    assertLiteral(document.currency, 'currency', 'EUR');
    const { version } = document;
    if (!(version instanceof JsonNumber) || !/^\d{1,9}$/.test(version.source)) {
      throw rejected(`version is ${shownJson(version)}, not a whole number`);
    }
    const updatedAt = textOf(document.updatedAt, 'updatedAt');
    if (instantFrom(updatedAt) === undefined) {
      throw rejected(`updatedAt is ${quoted(updatedAt)}, not an instant with an offset`);
    }
    const states = listOf(document.areaStates, 'areaStates').map((value, index) => {
      const name = `areaStates[${index}]`;
      const { state, areas } = objectOf(value, name);
      return { state: textOf(state, `${name}.state`), areas: listOf(areas, `${name}.areas`) };
    });
    const found = states.find(({ areas }) => areas.includes(NORDPOOL_AREA))?.state;
    const state = STATES.find((known) => known === found);
    if (state === undefined) {
      throw rejected(`The state of ${NORDPOOL_AREA} is ${found === undefined ? 'absent' : quoted(found)}`);
    }
    return { status: 'read', state, version: version.source, updatedAt };
  });
}
