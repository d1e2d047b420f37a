/** The things that a run has to put back, in reverse, however it ends: by itself, by an error or by Ctrl-C. */
export class Cleanup {
  readonly #steps: (() => Promise<void>)[] = [];
  #running: Promise<void> | null = null;

  add(step: () => Promise<void>): void {
    this.#steps.push(step);
  }

  /** A step that fails stops no other one; the first failure is told when all are done. */
  run(): Promise<void> {
    this.#running ??= (async () => {
      const failures: unknown[] = [];
      for (let step = this.#steps.pop(); step !== undefined; step = this.#steps.pop()) {
        await step().catch((error: unknown) => failures.push(error));
      }
      if (failures.length > 0) throw failures[0];
    })();
    return this.#running;
  }
}
