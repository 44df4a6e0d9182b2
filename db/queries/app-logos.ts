import { createHash } from 'node:crypto';
import { firstOf, type Queryable, type Tx } from '../client.ts';
import { build, prepare } from '../prepare.ts';
import { appLogos } from '../schema/accounts.ts';
import { getTableColumns } from '../schema/drizzle.ts';
import type { AppRow } from './credentials.ts';

const { app_id, png, sha256 } = appLogos;

const keep = prepare('app_logos.keep', getTableColumns(appLogos), ({ by }) =>
  build
    .insert(appLogos)
    .values(by)
    .onConflictDoUpdate({
      target: app_id,
      set: { sha256: by.sha256, png: by.png, created_at: by.created_at },
    }),
);
const remove = prepare('app_logos.remove', { app_id }, ({ equals }) =>
  build.delete(appLogos).where(equals.app_id),
);
const digestOf = prepare('app_logos.digest', { app_id }, ({ equals }) =>
  build.select({ sha256 }).from(appLogos).where(equals.app_id),
);
const byDigest = prepare('app_logos.by_digest', { sha256 }, ({ equals }) =>
  build.select({ png }).from(appLogos).where(equals.sha256).limit(1),
);

/**
 * Stores the logo of an app and replaces the previous one. The caller holds the lock of the
 * account.
 */
export async function keepLogo(
  tx: Tx,
  { app_id, account_id }: Pick<AppRow, 'app_id' | 'account_id'>,
  logo: Buffer,
  now: Date,
): Promise<void> {
  const digest = createHash('sha256').update(logo).digest('hex');
  await keep(tx, { app_id, account_id, sha256: digest, png: logo, created_at: now });
}

export async function removeLogo(tx: Tx, appId: string): Promise<void> {
  await remove(tx, { app_id: appId });
}

/** Returns the hex SHA-256 of the logo of an app; null if it has none. */
export async function findLogoDigest(on: Queryable, appId: string): Promise<string | null> {
  return firstOf(await digestOf(on, { app_id: appId }))?.sha256 ?? null;
}

/** Returns the PNG with this SHA-256; null if no app shows it. */
export async function findLogo(on: Queryable, digest: string): Promise<Buffer | null> {
  return firstOf(await byDigest(on, { sha256: digest }))?.png ?? null;
}
