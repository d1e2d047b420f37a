const PROBLEMS_KEPT = 5;

/** What the service said: counted by status, with the rows that it acknowledged. */
export class AnswerCounts {
  /** An answer of status 200 that says something wrong has the status 0 here: a fast wrong run fails. */
  readonly byStatus: Record<string, number> = {};
  /** Rows that answers of status 200 called stored, and those that were there already. */
  stored = 0;
  duplicates = 0;
  /** Answers 503 after which the same was sent again; they stand nowhere else. */
  refused = 0;
  /** Requests that got no answer. */
  lost = 0;
  readonly problems: string[] = [];
  #count = 0;

  /** `index`: of the request. */
  add(status: number, body: string, index = 0): void {
    this.#count += 1;
    const counted = status === 200 && !this.#isRight(body, index) ? 0 : status;
    this.byStatus[counted] = (this.byStatus[counted] ?? 0) + 1;
    if (counted !== 200) this.#note(`${counted} ${body.slice(0, 300)}`);
  }

  addLost(error: unknown): void {
    this.#note(`no answer: ${error instanceof Error ? error.message : String(error)}`);
  }

  /** Called at the end: whatever of `amount` has no answer is lost. */
  expect(amount: number): void {
    this.lost = amount - this.#count;
  }

  /** Everything was answered, and by this status. */
  allWere(status: number): boolean {
    return this.lost === 0 && Object.keys(this.byStatus).every((name) => name === String(status));
  }

  /** Takes in the body of an answer 200; whether it is right. */
  protected take(body: string, _index: number): boolean {
    const batch = JSON.parse(body) as { stored: number; duplicates: number };
    this.stored += batch.stored;
    this.duplicates += batch.duplicates;
    return true;
  }

  #isRight(body: string, index: number): boolean {
    try {
      return this.take(body, index);
    } catch (error) {
      this.#note(`${error instanceof Error ? error.message : error}`);
      return false;
    }
  }

  #note(problem: string): void {
    if (this.problems.length < PROBLEMS_KEPT) this.problems.push(problem);
  }
}

/** Every answer has to be this very text. */
export class SameAnswers extends AnswerCounts {
  readonly #text: string;

  constructor(text: string) {
    super();
    this.#text = text;
  }

  protected override take(body: string): boolean {
    return body === this.#text;
  }
}

/** A quote says when it was made; all else must be the same each time. */
const QUOTED_AT = /"quoted_at":"[^"]*"/;

const withoutMoment = (text: string): string => text.replace(QUOTED_AT, '');

/** An answer is right where it was expected, and as often as it was. */
export class KnownAnswers extends AnswerCounts {
  readonly #left = new Map<string, number>();

  /** A text for each request, in whatever order they come. */
  constructor(expected: Iterable<string>) {
    super();
    for (const text of expected) {
      const known = withoutMoment(text);
      this.#left.set(known, (this.#left.get(known) ?? 0) + 1);
    }
  }

  protected override take(body: string): boolean {
    const text = withoutMoment(body);
    const left = this.#left.get(text) ?? 0;
    this.#left.set(text, left - 1);
    return left > 0;
  }
}
