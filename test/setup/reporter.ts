import type { Reporter, TestModule, TestRunEndReason } from 'vitest/node';

/** The last line of every run, also of one that failed before its first test. */
export default class LastLineReporter implements Reporter {
  #line = '0 passed, 1 failed';

  onInit(): void {
    // What went wrong outside of tests is printed after the reporters were asked: this comes behind it.
    process.once('exit', () => process.stdout.write(`${this.#line}\n`));
  }

  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[], reason: TestRunEndReason): void {
    let passed = 0;
    let failed = errors.length;
    for (const module of modules) {
      // A file or a group that could not be set up: its tests count as skipped.
      for (const part of [module, ...module.children.allSuites()]) {
        if (part.errors().length > 0) failed += 1;
      }
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        if (state === 'passed') passed += 1;
        if (state === 'failed') failed += 1;
      }
    }
    if (reason !== 'passed') failed = Math.max(failed, 1);
    this.#line = `${passed} passed, ${failed} failed`;
  }
}
