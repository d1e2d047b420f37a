import { AnswerCounts } from '../measure/answers.ts';

/** A quote says when it was made; all else must be the same each time. */
const QUOTED_AT = /"quoted_at":"[^"]*"/;

export const withoutMoment = (text: string): string => text.replace(QUOTED_AT, '');

/** Counts an answer as good where it was expected, and as often as it was: a fast wrong run fails. */
export class KnownAnswers extends AnswerCounts {
  readonly #left = new Map<string, number>();

  /** One of these for each request, in whatever order they come. */
  constructor(expected: Iterable<string>) {
    super();
    for (const text of expected) {
      const known = withoutMoment(text);
      this.#left.set(known, (this.#left.get(known) ?? 0) + 1);
    }
  }

  override add(status: number, body: string): void {
    const isGood = status === 200 && this.#take(withoutMoment(body));
    super.add(status === 200 && !isGood ? 0 : status, isGood ? '{"stored":0,"duplicates":0}' : body);
  }

  #take(text: string): boolean {
    const left = this.#left.get(text) ?? 0;
    if (left === 0) return false;
    this.#left.set(text, left - 1);
    return true;
  }
}
