import { firstOf, statement, withTotal, type Queryable, type Tx } from '../client.ts';
import { build, prepare } from '../prepare.ts';
import { loginEmails, polyUsers } from '../schema/accounts.ts';
import type { PolyUserRow } from './identities.ts';

export type LoginEmailRow = typeof loginEmails.$inferSelect;

const { email_blind, email_sealed, identity_id, last_login_at, verified_at } = loginEmails;
const { created_at, identity_group_id } = polyUsers;

/** A login email as its owner sees it. */
export interface ListedLoginEmail extends LoginEmailRow {
  readonly last_sid: string | null;
  /** Label of the device of the last sign-in, sealed under `last_sid`. */
  readonly last_device_label_sealed: Buffer | null;
  readonly is_primary: boolean;
}

const byAddress = prepare('login_emails.by_address', { email_blind }, ({ equals }) =>
  build.select().from(loginEmails).where(equals.email_blind),
);
const lockByAddress = prepare('login_emails.lock_by_address', { email_blind }, ({ equals }) =>
  build.select().from(loginEmails).where(equals.email_blind).for('update'),
);
/** Advisory lock, because the row does not exist yet. */
const holdNew = statement(
  'login_emails.hold_new',
  `SELECT pg_advisory_xact_lock(hashtextextended('login_emails ' || encode(:blind::bytea, 'hex'),
   0))`,
);
const insert = prepare(
  'login_emails.insert',
  { poly_user_id: loginEmails.poly_user_id, email_sealed, email_blind, verified_at },
  ({ by }) =>
    build
      .insert(loginEmails)
      .values({ ...by, status: 'ACTIVE' })
      .onConflictDoNothing({ target: email_blind })
      .returning(),
);
const activate = prepare('login_emails.activate', { identity_id, verified_at }, ({ by, equals }) =>
  build
    .update(loginEmails)
    .set({ status: 'ACTIVE', verified_at: by.verified_at, revoked_at: null })
    .where(equals.identity_id)
    .returning(),
);
const noteUse = prepare('login_emails.note_use', { identity_id, last_login_at }, ({ by, equals }) =>
  build.update(loginEmails).set({ last_login_at: by.last_login_at }).where(equals.identity_id),
);
const addUser = prepare(
  'poly_users.add_email_only',
  { poly_user_id: polyUsers.poly_user_id, identity_group_id, created_at },
  ({ by }) =>
    build
      .insert(polyUsers)
      .values({ ...by, kind: 'email' })
      .returning(),
);
const groupOf = '(SELECT identity_group_id FROM poly_users WHERE poly_user_id = :polyUserId)';
/** The oldest active one is the primary, on any page. */
const ofGroup = statement<ListedLoginEmail>(
  'login_emails.of_group',
  `WITH own AS (
     SELECT e.*, coalesce(e.identity_id =
         min(e.identity_id) FILTER (WHERE e.status = 'ACTIVE') OVER (), false) AS is_primary
     FROM login_emails e JOIN poly_users u USING (poly_user_id)
     WHERE u.identity_group_id = ${groupOf}
   ), shown AS (
     SELECT * FROM own WHERE :identity_id::bigint IS NULL OR identity_id = :identity_id
     ORDER BY identity_id LIMIT :limit OFFSET :offset
   )
   SELECT e.*, l.sid AS last_sid, l.device_label_sealed AS last_device_label_sealed
   FROM shown e LEFT JOIN LATERAL (
     SELECT sid, device_label_sealed FROM sessions s
     WHERE s.poly_user_id = e.poly_user_id AND s.identity_id = e.identity_id
     ORDER BY s.created_at DESC LIMIT 1) l ON true
   ORDER BY e.identity_id`,
);
const countOfGroup = statement<{ total: number }>(
  'login_emails.count_of_group',
  `SELECT count(*)::int AS total FROM login_emails e JOIN poly_users u USING (poly_user_id)
   WHERE u.identity_group_id = ${groupOf}`,
);
const byId = prepare('login_emails.by_id', { identity_id }, ({ equals }) =>
  build.select().from(loginEmails).where(equals.identity_id),
);
const countActive = statement<{ actives: number }>(
  'login_emails.count_active',
  `SELECT count(*)::int AS actives FROM login_emails
   WHERE poly_user_id = :polyUserId AND status = 'ACTIVE'`,
);
const anyOf = statement(
  'login_emails.any_of',
  'SELECT 1 FROM login_emails WHERE poly_user_id = :polyUserId LIMIT 1',
);
const revoke = statement(
  'login_emails.revoke',
  `WITH ended AS (
     UPDATE sessions SET revoked_at = :now WHERE identity_id = :identityId AND revoked_at IS NULL
   )
   UPDATE login_emails SET status = 'REVOKED', revoked_at = :now WHERE identity_id = :identityId`,
);

export async function findLoginEmail(on: Queryable, blind: Buffer): Promise<LoginEmailRow | null> {
  return firstOf(await byAddress(on, { email_blind: blind }));
}

/** Returns the login email of an address, locked until the transaction ends. */
export async function lockLoginEmail(tx: Tx, blind: Buffer): Promise<LoginEmailRow | null> {
  return firstOf(await lockByAddress(tx, { email_blind: blind }));
}

/** Serializes the creation of a login email for an address. */
export async function holdNewLoginEmail(tx: Tx, blind: Buffer): Promise<void> {
  await holdNew(tx, { blind });
}

/** Adds a login email. Returns null if another transaction has added one for the address. */
export async function addLoginEmail(
  tx: Tx,
  row: { polyUserId: string; sealed: Buffer; blind: Buffer; verifiedAt: Date },
): Promise<LoginEmailRow | null> {
  return firstOf(
    await insert(tx, {
      poly_user_id: row.polyUserId,
      email_sealed: row.sealed,
      email_blind: row.blind,
      verified_at: row.verifiedAt,
    }),
  );
}

/** Activates a login email for sign-in. */
export async function activateLoginEmail(
  tx: Tx,
  identityId: number,
  now: Date,
): Promise<LoginEmailRow> {
  const [row] = await activate(tx, { identity_id: identityId, verified_at: now });
  if (!row) throw new Error(`there is no login email ${identityId}`);
  return row;
}

export async function noteLogin(tx: Tx, identityId: number, now: Date): Promise<void> {
  await noteUse(tx, { identity_id: identityId, last_login_at: now });
}

/** Adds a person who has nothing yet. */
export async function addEmailOnlyUser(
  tx: Tx,
  row: { polyUserId: string; groupId: string; createdAt: Date },
): Promise<PolyUserRow> {
  const [user] = await addUser(tx, {
    poly_user_id: row.polyUserId,
    identity_group_id: row.groupId,
    created_at: row.createdAt,
  });
  if (!user) throw new Error('no person was made');
  return user;
}

/**
 * Returns a page of the login emails of a person's identity group, oldest first, and their count.
 */
export async function listLoginEmails(
  on: Queryable,
  polyUserId: string,
  [limit, offset]: readonly [number, number],
) {
  const page = ofGroup(on, { polyUserId, identity_id: null, limit, offset });
  return withTotal(page, countOfGroup(on, { polyUserId }));
}

/** Returns one of them in list form; null if it is not theirs. */
export async function findListedLoginEmail(
  on: Queryable,
  polyUserId: string,
  identityId: number,
): Promise<ListedLoginEmail | null> {
  return firstOf(await ofGroup(on, { polyUserId, identity_id: identityId, limit: 1, offset: 0 }));
}

export async function findLoginEmailById(
  on: Queryable,
  identityId: number,
): Promise<LoginEmailRow | null> {
  return firstOf(await byId(on, { identity_id: identityId }));
}

/** Counts the login emails that a person can sign in with. */
export async function countLogins(on: Queryable, polyUserId: string): Promise<number> {
  return firstOf(await countActive(on, { polyUserId }))?.actives ?? 0;
}

/** Returns true if a person has a login email, revoked ones included. */
export async function hasLogins(on: Queryable, polyUserId: string): Promise<boolean> {
  return (await anyOf(on, { polyUserId })).length > 0;
}

/** Revokes a login email and ends the sessions that were opened through it. */
export async function revokeLoginEmail(tx: Tx, identityId: number, now: Date): Promise<void> {
  await revoke(tx, { identityId, now });
}
