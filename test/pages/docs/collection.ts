/* What both tests of the collection for Postman read of it. */

export interface Entry {
  key: string;
  value: string;
  disabled?: boolean;
}

export interface Item {
  name: string;
  request: {
    method: string;
    header: Entry[];
    url: { raw: string; host: string[]; path: string[]; query?: Entry[]; variable?: Entry[] };
    body?: { mode: string; raw?: string; urlencoded?: Entry[] };
    auth?: { type: string };
  };
  response: unknown[];
}

/** What Postman sends of some entries. */
export const sent = (entries: readonly Entry[] = []) =>
  Object.fromEntries(
    entries.filter(({ disabled }) => disabled !== true).map(({ key, value }) => [key, value]),
  );
