import type { ApiRoute } from '../interface/route.ts';
import type { SchemaComponents } from './schemas.ts';

type Json = Record<string, unknown>;

/** How a caller gets in, as the part that issues tokens describes it. */
export interface AccessDescription {
  /** Of the paths below. */
  tag: string;
  /** Security schemes by name; those that no operation names are left out of the document. */
  schemes(baseUrl: string): Json;
  /** The schemes with which a route is called, and the scopes that it needs. */
  securityOf(route: ApiRoute): Json[];
  /** Operations outside the routes of the interface; the same in every version. */
  paths(components: SchemaComponents): Json;
}
