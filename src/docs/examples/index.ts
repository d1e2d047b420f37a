import { contractExamples } from './contracts.ts';
import { deviceExamples } from './devices.ts';
import type { RouteExamples } from './example.ts';
import { peopleExamples } from './people.ts';

/** One request and answer of every route of the interface, for its description. */
export const routeExamples: RouteExamples = { ...peopleExamples, ...contractExamples, ...deviceExamples };
