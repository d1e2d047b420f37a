import { consentsOf, endConsent } from '../../identity/oauth/service.ts';
import { textOf } from '../../platform/http/pages/hosted.ts';
import type { Scope } from '../../platform/principal.ts';
import { berlinDayOf } from '../../platform/time/berlin-calendar.ts';
import { consentsPath, dayText, type PortalSite } from './pages.ts';
import type { Texts } from './texts.ts';

/** Which programs the customer has let in, and the end of each. */
export function consentsPage({ deps, path, page }: PortalSite): void {
  page(
    '/consents',
    async ({ visitor, t, query }) => {
      const consents = (await consentsOf(deps, visitor)).map(({ id, client_name, scopes, created_at }) => ({
        id,
        name: client_name,
        since: t.letInOn(dayText(t, berlinDayOf(created_at))),
        rights: rightsIn(t, scopes),
      }));
      return {
        template: 'consents',
        title: t.consentsTitle,
        values: { consents, action: consentsPath(path), isEnded: textOf(query, 'ended') !== '' },
      };
    },
    async ({ visitor, body, trace }) => {
      await endConsent(deps, visitor, textOf(body, 'consent'), trace);
      return { to: `${consentsPath(path)}?ended=1` };
    },
  );
}

/**
 * In the words with which the customer was asked. A grant has at least one of the two, and a refresh of its tokens never
 * widens it.
 */
function rightsIn(t: Texts, scopes: readonly Scope[]): string[] {
  return [
    ...(scopes.includes('read:*') ? [t.mayRead] : []),
    ...(scopes.includes('write:*') ? [t.mayWrite] : []),
  ];
}
