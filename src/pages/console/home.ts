import { organization as findOrganization } from '../../identity/organizations/service.ts';
import type { ConsoleSite } from './screens.ts';

/** What is stored, how fast more comes, tomorrow's price, and how the service is. */
export function homePage({ deps, page }: ConsoleSite): void {
  page('', async ({ visitor }) => {
    const { name } = await findOrganization(deps.database, visitor.organization);
    return { template: 'home', of: 'home', values: { organization: name } };
  });
}
