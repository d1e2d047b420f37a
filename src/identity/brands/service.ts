import { createHash } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { audit } from '../../platform/audit.ts';
import { BoundedCache } from '../../platform/bounded-cache.ts';
import type { Database } from '../../platform/database/db.ts';
import type { Deps } from '../../platform/deps.ts';
import { badRequest, type ErrorEntry, Failure, notFound } from '../../platform/errors.ts';
import { mayStrangerAsk, type ShownBrand } from '../../platform/http/pages/hosted.ts';
import {
  BACKGROUNDS,
  COLORS,
  type Color,
  contrastOf,
  darkened,
  lightened,
  TEXT_CONTRAST_MIN,
} from '../../platform/http/pages/look.ts';
import { ID_PATTERN } from '../../platform/ids.ts';
import { wireSchemas } from '../../platform/interface/wire-schemas.ts';
import { entriesOf } from '../../platform/interface/zod.ts';
import type { Letterhead } from '../../platform/mail.ts';
import { createShortCache } from '../../platform/short-cache.ts';
import { type StaffAct, staffOf } from '../../platform/staff-act.ts';
import { lockOrganization } from '../organizations/service.ts';
import { type Logo, readLogo } from './png.ts';
import { deleteBrand, findBrand, findBrandWithLogo, type ListedBrand, upsertBrand } from './queries.ts';

/* What customers of an organization see it as. */

const nameSchema = wireSchemas.name({ max: 100 });

/** What was left out stays as it is. */
export interface BrandInput {
  name?: string;
  color?: string;
  logo?: { name: string; bytes: Uint8Array };
}

/** Name, colour and logo that an organization's customers see from now on, on pages and mails. */
export async function setBrand(
  database: Database,
  organization: string,
  input: BrandInput,
  act: StaffAct,
): Promise<ListedBrand> {
  if (!ID_PATTERN.test(organization)) throw notFound();
  const { color, logo } = checked(input);
  return await database.inOrganization({ organization }, async (connection) => {
    const row = await lockOrganization(connection, organization);
    if (row === undefined) throw notFound();
    const before = await findBrandWithLogo(connection, organization);
    const next = {
      name: input.name?.trim() ?? before?.name ?? row.name,
      color: color ?? before?.color ?? null,
      logo: logo?.bytes ?? before?.logo ?? null,
      logo_width: logo?.width ?? before?.logo_width ?? null,
      logo_height: logo?.height ?? before?.logo_height ?? null,
    };
    const version = createHash('sha256')
      .update(`${next.color}\n`)
      .update(next.logo ?? '');
    const after = await upsertBrand(connection, organization, {
      ...{ ...next, version: version.digest('hex').slice(0, 16) },
      ...{ created_at: act.now, updated_at: act.now },
    });
    await audit(connection, {
      ...staffOf(act, organization),
      ...{ act: 'organization.set_brand', object_id: organization },
      ...{ before: before === undefined ? null : auditedOf(before), after: auditedOf(after) },
    });
    return after;
  });
}

export async function removeBrand(
  database: Database,
  organization: string,
  act: StaffAct,
): Promise<ListedBrand> {
  if (!ID_PATTERN.test(organization)) throw notFound();
  return await database.inOrganization({ organization }, async (connection) => {
    const removed = await deleteBrand(connection, organization);
    if (removed === undefined) throw notFound();
    await audit(connection, {
      ...staffOf(act, organization),
      ...{ act: 'organization.remove_brand', object_id: organization, before: auditedOf(removed) },
    });
    return removed;
  });
}

function auditedOf({ name, color, logo_width, logo_height, version }: ListedBrand) {
  return { name, color, logo_width, logo_height, version };
}

/** Every problem at once. */
function checked(input: BrandInput): { color?: Color; logo?: Logo } {
  const problems: ErrorEntry[] = [];
  if (input.name === undefined && input.color === undefined && input.logo === undefined) {
    problems.push({ code: 'custom', field: '', message: 'A name, a color or a logo is needed' });
  }
  if (input.name !== undefined) {
    const read = nameSchema.safeParse(input.name.trim());
    if (!read.success) {
      problems.push(
        ...entriesOf(read.error.issues, input.name).map((entry) => ({ ...entry, field: 'name' })),
      );
    }
  }
  const color = input.color?.toLowerCase();
  if (color !== undefined) problems.push(...colorProblems(color));
  const logo = input.logo === undefined ? undefined : readLogo(input.logo.bytes);
  if (logo !== undefined && 'problem' in logo) {
    problems.push({ code: 'custom', field: 'logo', message: `${input.logo?.name} ${logo.problem}` });
  }
  if (problems.length > 0) throw badRequest(problems);
  return {
    ...(color !== undefined && { color: color as Color }),
    ...(logo !== undefined && !('problem' in logo) && { logo }),
  };
}

/** Letters of this colour stand on our pages, and letters of the page on it. In the dark a lighter one is made of it. */
function colorProblems(text: string): ErrorEntry[] {
  if (!/^#[0-9a-f]{6}$/.test(text)) {
    return [
      { code: 'invalid_format', field: 'color', message: `${text} is no colour of six digits, as #0a5c8f` },
    ];
  }
  const color = text as Color;
  const contrast = Math.min(...BACKGROUNDS.map((name) => contrastOf(color, COLORS[name][0])));
  if (contrast >= TEXT_CONTRAST_MIN) return [];
  /* Down, so that it never looks like the number it misses. */
  const shown = (Math.floor(contrast * 10) / 10).toFixed(1);
  const message = `${color} stands out from a page by ${shown} to 1, letters need ${TEXT_CONTRAST_MIN} to 1; ${darkened(color)} is dark enough`;
  return [{ code: 'custom', field: 'color', message }];
}

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
export function brandsOf(app: FastifyInstance, deps: Pick<Deps, 'database' | 'limiter'>, filesPath: string) {
  const { database } = deps;
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
    let bytes = files.get(file);
    if (bytes === undefined && organization !== '') {
      if (!(await mayStrangerAsk(deps, request, reply))) throw new Failure('TOO_MANY_REQUESTS');
      bytes = await fileOf(organization, version, kind);
    }
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
