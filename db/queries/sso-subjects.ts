import { firstOf, statement, type Tx } from '../client.ts';
import type { ssoSubjects } from '../schema/sso-providers.ts';

type SsoSubjectRow = typeof ssoSubjects.$inferSelect;

/** Whom a subject was bound to, and by which address. */
export interface BoundSubject extends SsoSubjectRow {
  /** The address it is known by, to be locked before anything is made of it. */
  readonly email_blind: Buffer | null;
}

const find = statement<BoundSubject>(
  'sso_subjects.find',
  `SELECT s.*, e.email_blind
   FROM sso_subjects s LEFT JOIN login_emails e USING (identity_id) WHERE s.digest = $1`,
);
const bind = statement<{ digest: Buffer }>(
  'sso_subjects.bind',
  `INSERT INTO sso_subjects (digest, account_id, issuer, poly_user_id, identity_id, email_domain,
     created_at, last_login_at)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $7)
   ON CONFLICT (account_id, issuer, identity_id) DO NOTHING RETURNING digest`,
);
const rebind = statement(
  'sso_subjects.rebind',
  'UPDATE sso_subjects SET poly_user_id = $2 WHERE digest = $1',
);
const noteUse = statement(
  'sso_subjects.note_use',
  'UPDATE sso_subjects SET last_login_at = $2 WHERE digest = $1',
);

/** Under the lock of its account, which every writer of it holds. */
export async function findSubject(tx: Tx, digest: Buffer): Promise<BoundSubject | null> {
  return firstOf(await find(tx, [digest]));
}

/** False where another subject of the issuer has the login email. */
export async function bindSubject(
  tx: Tx,
  row: Omit<SsoSubjectRow, 'last_login_at'>,
): Promise<boolean> {
  const { digest, account_id, issuer, poly_user_id, identity_id, email_domain, created_at } = row;
  const bound = await bind(tx, [
    digest,
    account_id,
    issuer,
    poly_user_id,
    identity_id,
    email_domain,
    created_at,
  ]);
  return bound.length === 1;
}

/** Another person stands for the subject from now on. */
export async function rebindSubject(tx: Tx, digest: Buffer, polyUserId: string): Promise<void> {
  await rebind(tx, [digest, polyUserId]);
}

export async function noteSubjectUse(tx: Tx, digest: Buffer, now: Date): Promise<void> {
  await noteUse(tx, [digest, now]);
}
