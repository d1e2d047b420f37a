const PROBLEMS_KEPT = 5;

/** What the service said: counted by status, with the rows that it acknowledged. */
export class AnswerCounts {
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

  add(status: number, body: string): void {
    this.#count += 1;
    this.byStatus[status] = (this.byStatus[status] ?? 0) + 1;
    if (status === 200) {
      const batch = JSON.parse(body) as { stored: number; duplicates: number };
      this.stored += batch.stored;
      this.duplicates += batch.duplicates;
    } else if (this.problems.length < PROBLEMS_KEPT) this.problems.push(`${status} ${body.slice(0, 300)}`);
  }

  addLost(error: unknown): void {
    if (this.problems.length < PROBLEMS_KEPT) {
      this.problems.push(`no answer: ${error instanceof Error ? error.message : String(error)}`);
    }
  }

  /** Called at the end: whatever of `amount` has no answer is lost. */
  expect(amount: number): void {
    this.lost = amount - this.#count;
  }

  /** Everything was answered, and by this status. */
  allWere(status: number): boolean {
    return this.lost === 0 && Object.keys(this.byStatus).every((name) => name === String(status));
  }

  get tooManyRequests(): number {
    return this.byStatus['429'] ?? 0;
  }
}
