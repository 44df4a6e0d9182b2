import { firstOf, statement, type Tx } from '../client.ts';
import { build, prepare } from '../prepare.ts';
import { ssoSubjects } from '../schema/sso-providers.ts';

const {
  account_id,
  created_at,
  digest,
  email_domain,
  identity_id,
  issuer,
  last_login_at,
  poly_user_id,
} = ssoSubjects;

type SsoSubjectRow = typeof ssoSubjects.$inferSelect;

/** The person and the address to which a subject is bound. */
export interface BoundSubject extends SsoSubjectRow {
  /** Digest of the bound address. Lock it before changing anything about it. */
  readonly email_blind: Buffer | null;
}

const find = statement<BoundSubject>(
  'sso_subjects.find',
  `SELECT s.*, e.email_blind
   FROM sso_subjects s LEFT JOIN login_emails e USING (identity_id) WHERE s.digest = :digest`,
);
const bind = prepare(
  'sso_subjects.bind',
  { digest, account_id, issuer, poly_user_id, identity_id, email_domain, created_at },
  ({ by }) =>
    build
      .insert(ssoSubjects)
      .values({ ...by, last_login_at: by.created_at })
      .onConflictDoNothing({ target: [account_id, issuer, identity_id] })
      .returning({ digest }),
);
const rebind = prepare('sso_subjects.rebind', { digest, poly_user_id }, ({ by, equals }) =>
  build.update(ssoSubjects).set({ poly_user_id: by.poly_user_id }).where(equals.digest),
);
const noteUse = prepare('sso_subjects.note_use', { digest, last_login_at }, ({ by, equals }) =>
  build.update(ssoSubjects).set({ last_login_at: by.last_login_at }).where(equals.digest),
);

/** The caller holds the lock of the account, like every writer of the row. */
export async function findSubject(tx: Tx, digest: Buffer): Promise<BoundSubject | null> {
  return firstOf(await find(tx, { digest }));
}

/** Binds a subject. Returns false if another subject of the issuer has the login email. */
export async function bindSubject(
  tx: Tx,
  row: Omit<SsoSubjectRow, 'last_login_at'>,
): Promise<boolean> {
  const { digest, account_id, issuer, poly_user_id, identity_id, email_domain, created_at } = row;
  const bound = await bind(tx, {
    digest,
    account_id,
    issuer,
    poly_user_id,
    identity_id,
    email_domain,
    created_at,
  });
  return bound.length === 1;
}

/** Binds the subject to another person. */
export async function rebindSubject(tx: Tx, digest: Buffer, polyUserId: string): Promise<void> {
  await rebind(tx, { digest, poly_user_id: polyUserId });
}

export async function noteSubjectUse(tx: Tx, digest: Buffer, now: Date): Promise<void> {
  await noteUse(tx, { digest, last_login_at: now });
}
