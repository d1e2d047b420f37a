import type { FastifyInstance } from 'fastify';
import { BoundedCache } from '../../platform/bounded-cache.ts';
import type { Database } from '../../platform/database/db.ts';
import type { Deps } from '../../platform/deps.ts';
import { Failure } from '../../platform/errors.ts';
import type { ShownBrand } from '../../platform/http/pages/hosted.ts';
import { COLORS, type Color, lightened } from '../../platform/http/pages/look.ts';
import { ID_PATTERN } from '../../platform/ids.ts';
import type { Letterhead } from '../../platform/mail.ts';
import { createShortCache } from '../../platform/short-cache.ts';
import { findBrand, findBrandWithLogo, type ListedBrand } from './queries.ts';

/* How a brand comes to pages and mails. */

type BrandDeps = Pick<Deps, 'database'>;

export async function brandOf(database: Database, organization: string): Promise<ListedBrand | undefined> {
  return await database.inOrganization({ organization }, (connection) => findBrand(connection, organization));
}

/** With its picture. */
async function brandWithLogo(database: Database, organization: string) {
  return await database.inOrganization({ organization }, (connection) =>
    findBrandWithLogo(connection, organization),
  );
}

/** Logos that a process holds; a customer's browser asks for one once. */
const FILES_BYTES_MAX = 2 * 1024 * 1024;

const FILE = /^(org_[0-9a-z]{24})-([0-9a-f]{16})\.(png|css)$/;

/**
 * Serves logos and colours below a site's files, and tells how the brand of an organization is shown there. The name of a
 * file has the version of the brand, so that browsers keep it for ever. A change is seen within five seconds.
 */
export function brandsOf(app: FastifyInstance, { database }: BrandDeps, filesPath: string) {
  const kept = createShortCache<ListedBrand | undefined>();
  const files = new BoundedCache<Buffer>(FILES_BYTES_MAX);

  async function fileOf(organization: string, version: string, kind: string): Promise<Buffer | undefined> {
    const brand = await brandWithLogo(database, organization);
    if (brand === undefined || brand.version !== version) return undefined;
    if (kind === 'png') return brand.logo ?? undefined;
    return brand.color === null ? undefined : colorStyle(brand.color as Color);
  }

  app.get<{ Params: { file: string } }>(`${filesPath}/brand/:file`, async (request, reply) => {
    const { file } = request.params;
    const [, organization = '', version = '', kind = ''] = FILE.exec(file) ?? [];
    const bytes =
      files.get(file) ?? (organization === '' ? undefined : await fileOf(organization, version, kind));
    if (bytes === undefined) throw new Failure('NOT_FOUND');
    files.set(file, bytes, bytes.length);
    return reply
      .header('cache-control', 'public, max-age=31536000, immutable')
      .type(kind === 'png' ? 'image/png' : 'text/css; charset=utf-8')
      .send(bytes);
  });

  return async (organization: string | undefined): Promise<ShownBrand | null> => {
    if (organization === undefined || !ID_PATTERN.test(organization)) return null;
    const brand = await kept(organization, () => brandOf(database, organization));
    if (brand === undefined) return null;
    const address = (kind: string) => `${filesPath}/brand/${organization}-${brand.version}.${kind}`;
    const { name, color, logo_width: width, logo_height: height } = brand;
    return {
      ...{ name, style: color === null ? null : address('css') },
      logo: width === null || height === null ? null : { address: address('png'), width, height },
    };
  };
}

function colorStyle(color: Color): Buffer {
  return Buffer.from(`:root { --accent: ${color}; }
@media (prefers-color-scheme: dark) {
:root { --accent: ${lightened(color)}; }
}
`);
}

/** Of the mails of an organization. It is looked up when a mail is put together: behind the answer that it belongs to. */
export function letterheadOf(
  { database }: BrandDeps,
  organization: string,
): () => Promise<Letterhead | null> {
  return async () => {
    const brand = await brandWithLogo(database, organization);
    if (brand === undefined) return null;
    const { name, color, logo, logo_width: width, logo_height: height } = brand;
    return {
      ...{ name, color: (color as Color | null) ?? COLORS.accent[0] },
      logo: logo === null || width === null || height === null ? null : { bytes: logo, width, height },
    };
  };
}
