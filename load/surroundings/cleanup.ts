/** What a run has to put back, in reverse, however it ends: by itself, by an error or by Ctrl-C. */
export class Cleanup {
  readonly #steps: (() => Promise<void>)[] = [];
  #running: Promise<void> | null = null;

  add(step: () => Promise<void>): void {
    this.#steps.push(step);
  }

  run(): Promise<void> {
    this.#running ??= (async () => {
      for (let step = this.#steps.pop(); step !== undefined; step = this.#steps.pop()) await step();
    })();
    return this.#running;
  }
}
