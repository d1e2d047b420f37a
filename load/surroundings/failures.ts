/** Said with exit code 2: the command line or the configuration asks for something that cannot be. */
export class WrongUse extends Error {}

/** Said with exit code 3: the service or the database does not answer. */
export class Unreachable extends Error {}

export const EXIT_CODES = {
  held: { code: 0, meaning: 'every promised figure held, where there is one' },
  missed: { code: 1, meaning: 'a promised figure was missed, or the count in the database is wrong' },
  wrongUse: { code: 2, meaning: 'wrong use' },
  unreachable: { code: 3, meaning: 'the service or the database could not be reached' },
  notJudged: {
    code: 4,
    meaning:
      'a figure below its promise was not judged, because other programs used the machine; nothing else failed',
  },
} as const;
