import type { PlatformKeys } from '../../../activities/keys/directory/load-keys.ts';
import { platformJwks } from '../../../api/keys/platform-jwks.ts';
import type { Jwk } from '../../../api/keys/present.ts';
import { userJwks } from '../../../api/keys/user-jwks.ts';
import type { Db } from '../../../db/client.ts';

/** Returns action, actor and object of the last row of an account’s audit log. */
export async function lastAuditedIn(db: Db, account: string): Promise<unknown[]> {
  const { rows } = await db.query(
    'SELECT action, actor, object_id FROM audit_rows WHERE account_id = $1 ORDER BY seq DESC LIMIT 1',
    [Number(account)],
  );
  return Object.values(rows[0] ?? {});
}

/** Returns a key from the key set of the platform. */
export async function published(keys: PlatformKeys, kid: string): Promise<Jwk | undefined> {
  const set = await platformJwks({ headers: {} } as never, { keys });
  if (set.status !== 200) throw new Error('no key set');
  const { keys: all } = JSON.parse(set.content.toString()) as { keys: Jwk[] };
  return all.find((key) => key.kid === kid);
}

/** The row of a certificate. */
export async function certificatesOf(db: Db, { serial }: { serial: string }) {
  const { rows } = await db.query<{ revoked_at: Date | null; poly_user_id: string }>(
    'SELECT revoked_at, poly_user_id FROM certificates WHERE serial = $1',
    [serial],
  );
  return rows;
}

/** Returns the keys of a user’s key set. */
export async function userKeys(
  { db, keys }: { readonly db: Db; readonly keys: PlatformKeys },
  poly_user_id: string | undefined,
  include: 'good' | 'all',
): Promise<Jwk[]> {
  const call = { now: new Date(), header: () => undefined };
  const input = { path: { poly_user_id }, query: { include }, headers: {}, call };
  const set = await userJwks(
    input as never,
    { db, keys, settings: { baseUrl: 'https://trust.example.test' } } as never,
  );
  if (set.status !== 200) throw new Error('no key set');
  return (JSON.parse(set.content.toString()) as { keys: Jwk[] }).keys;
}
