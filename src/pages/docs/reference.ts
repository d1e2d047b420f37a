import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import Fastify from 'fastify';
import { NEWEST_VERSION, VERSION_NAMES, type VersionName } from '../../config/versions.ts';
import { type LastingFile, lastingFile } from '../../platform/http/pages/lasting-files.ts';
import type { DemoAccess } from './demo-client.ts';

export interface ReferencePage {
  script: LastingFile;
  /** `demo`: filled into the examples. */
  html(demo: DemoAccess | null): Promise<string>;
}

/** Without these switches the page reports to its maker, loads fonts from there and offers services of third parties. */
const QUIET = {
  telemetry: false,
  withDefaultFonts: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  hideClientButton: true,
  showDeveloperTools: 'never',
} as const;

/**
 * Its own greys and signal colours are too pale: here each stands out from its background by 4.5 to 1 or more. On a
 * phone, hidden buttons beside long headings would make the page wider than the screen. Buttons that copy had their name
 * only under the pointer.
 */
const READABLE = `
.light-mode {
  --scalar-color-2: #595959;
  --scalar-color-3: #636363;
  --scalar-color-green: #04694c;
  --scalar-color-blue: #03619a;
  --scalar-color-orange: #8f4506;
  --scalar-color-red: #b01c1c;
  --scalar-color-yellow: #734a0c;
  --scalar-color-purple: #5f2bb8;
}
.dark-mode {
  --scalar-color-3: #929292;
}
.scalar-app {
  overflow-x: clip;
}
[class*="copy-button"] .sr-only span {
  display: inline;
}`;

/** Runs before the page's own script. */
const OWN_SCRIPT = readFileSync(join(import.meta.dirname, 'views/reference.js'), 'utf8');

/** The page takes dots out of addresses when it loads, and would then not find the version: `2026-09-08-gauss`. */
function slugOf(version: VersionName): string {
  return version.replace('.', '-');
}

/**
 * The interactive API reference. Its package is one script of 4 MB inside a module, which costs 0.2 s and 40 MB to
 * load, and its Fastify plugin would compress it again for every visitor: to be made on the first visit. The plugin
 * runs once, on an instance of its own.
 */
export async function makeReferencePage(): Promise<ReferencePage> {
  const { default: plugin } = await import('@scalar/fastify-api-reference');
  const bundled = await fetchFrom('/js/scalar.js', {});
  const script = lastingFile(Buffer.from(OWN_SCRIPT + bundled), 'js', 'text/javascript; charset=utf-8');
  const htmlWith = (demo: DemoAccess | null) =>
    fetchFrom('/', {
      ...QUIET,
      pageTitle: 'API reference · Voltstream',
      favicon: '/docs/icon.svg',
      customCss: READABLE,
      authentication: {
        preferredSecurityScheme: 'oauth2',
        ...(demo !== null && { securitySchemes: filledSchemes(demo) }),
      },
      cdn: `/docs/reference/${script.name}`,
      sources: VERSION_NAMES.toReversed().map((version) => ({
        title: version,
        slug: slugOf(version),
        url: `/docs/reference/${version}.json`,
        default: version === NEWEST_VERSION,
      })),
    });
  const plain = await htmlWith(null);
  return { script, html: async (demo) => (demo === null ? plain : await htmlWith(demo)) };

  async function fetchFrom(path: string, configuration: object): Promise<string> {
    const scratch = Fastify();
    await scratch.register(plugin, { routePrefix: '/r', configuration: { sources: [], ...configuration } });
    const answer = await scratch.inject(`/r${path}`);
    await scratch.close();
    if (answer.statusCode !== 200)
      throw new Error(`The API reference answers ${answer.statusCode} for ${path}`);
    return answer.body;
  }
}

/** By the names that the description gives them. */
function filledSchemes({ id, secret, token }: DemoAccess) {
  return {
    client: { username: id, password: secret },
    oauth2: {
      flows: {
        clientCredentials: {
          ...{ 'x-scalar-client-id': id, clientSecret: secret },
          ...(token !== null && { token }),
        },
      },
    },
  };
}
