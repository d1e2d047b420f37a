import { type Browser, chromium } from 'playwright-core';
import { fetchChromium } from '../../scripts/chromium.ts';
import { processEnvironment, readTestConfig } from '../../src/config/config.ts';

/** Time for the first run of a machine to fetch its Chromium; later ones start in half a second. */
export const FETCHING_MILLISECONDS = 600_000;

/** A Chromium that reaches this machine only, so that what a page asks elsewhere fails and is seen. */
export async function openBrowser(): Promise<Browser> {
  const own = definedOnly(processEnvironment());
  const given = readTestConfig().TEST_CHROMIUM;
  const { program, environment } =
    given === undefined ? await fetched() : { program: given, environment: {} as Record<string, string> };
  const libraries = [environment.LD_LIBRARY_PATH, own.LD_LIBRARY_PATH].filter(Boolean).join(':');
  try {
    return await chromium.launch({
      executablePath: program,
      env: { ...own, ...environment, ...(libraries && { LD_LIBRARY_PATH: libraries }) },
      args: ['--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1'],
    });
  } catch (error) {
    const remedy =
      given === undefined
        ? 'remove .data/chromium, and the next run fetches what this machine lacks'
        : 'see TEST_CHROMIUM';
    throw new Error(`Chromium does not start (${reasonOf(error)}): ${remedy}.`, { cause: error });
  }
}

async function fetched() {
  try {
    return await fetchChromium((line) => console.log(line));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(
      `No Chromium to look at the pages with: ${reason.replace(/\.$/, '')}. TEST_CHROMIUM may name one.`,
      { cause: error },
    );
  }
}

/** Of Playwright's many lines the one in which the program itself says why it ended. */
function reasonOf(error: unknown): string {
  const lines = (error instanceof Error ? error.message : String(error)).split('\n');
  const said =
    lines.find((line) => /error while loading|cannot execute|ENOENT|EACCES/.test(line)) ?? lines[0];
  return (said ?? '').replace(/^.*?(?=error while loading)|^\W*(?:\[pid=\d+\]\S* )?/, '').trim();
}

function definedOnly(environment: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(environment).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}
