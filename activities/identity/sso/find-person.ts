import type { Tx } from '../../../db/client.ts';
import type { Ids } from '../../../db/ids.ts';
import { lockPolyUsers } from '../../../db/queries/identities.ts';
import { addEmailOnlyUser, findLoginEmail, noteLogin } from '../../../db/queries/login-emails.ts';
import type { SsoProviderRow } from '../../../db/queries/sso-providers.ts';
import {
  bindSubject,
  findSubject,
  noteSubjectUse,
  rebindSubject,
  type BoundSubject,
} from '../../../db/queries/sso-subjects.ts';
import { lockAddress } from '../lock-address.ts';
import { logInByAddress } from '../log-in.ts';
import { assertRule } from './access-token-refused.ts';

/** A subject of an issuer by its digest, with the verified address that it may be linked by. */
export interface Subject {
  readonly digest: Buffer;
  readonly address: {
    readonly blind: Buffer;
    readonly sealed: Buffer;
    readonly domain: string;
  } | null;
}

/** The person who signs in. */
export interface Person {
  readonly polyUserId: string;
  /** Their login email. Revoking it ends everything that is based on it. */
  readonly identityId: number | null;
  /** What was created for this sign-in. */
  readonly made: 'nothing' | 'binding' | 'login_email';
}

interface Now {
  readonly ids: Ids;
  readonly now: Date;
}

/**
 * Returns the person of a subject, found by issuer and subject only (OpenID Connect Core §5.7). For
 * a new subject, it creates a user whom only this account knows. If the operator trusts the
 * provider for the domain of the verified address, it is the owner of that login email instead, as
 * after a login by mail. If the created user was since adopted, or enrolled a device, another one
 * is created: only the operator can give a provider access to such a person.
 * @throws AccessTokenRefused `email`
 */
export async function findPerson(
  tx: Tx,
  deps: Now,
  row: Pick<SsoProviderRow, 'account_id' | 'issuer' | 'email_domains'>,
  subject: Subject,
): Promise<Person> {
  const bound = await findSubject(tx, subject.digest);
  if (!bound) return bindNew(tx, deps, row, subject);
  const known = await findBound(tx, row, bound);
  await noteSubjectUse(tx, subject.digest, deps.now);
  if (known) {
    if (known.identityId !== null) await noteLogin(tx, known.identityId, deps.now);
    return { ...known, made: 'nothing' };
  }
  const other = await makePerson(tx, deps);
  await rebindSubject(tx, subject.digest, other);
  return { polyUserId: other, identityId: null, made: 'binding' };
}

/**
 * Returns the person that a subject is bound to, locked, without writing anything. Returns null if
 * that user was adopted or has a device.
 * @throws AccessTokenRefused `email`
 */
export async function findBound(
  tx: Tx,
  row: Pick<SsoProviderRow, 'email_domains'>,
  bound: BoundSubject,
): Promise<Omit<Person, 'made'> | null> {
  if (bound.identity_id !== null) return personOfEmail(tx, row, bound);
  const [made] = await lockPolyUsers(tx, [bound.poly_user_id]);
  if (made?.kind !== 'email' || made.adopted_by) return null;
  return { polyUserId: made.poly_user_id, identityId: null };
}

/**
 * Returns the current owner of the login email, if it is active and its domain still trusted. Both
 * stay locked: a concurrent revocation waits, and then ends the session that is opened.
 */
async function personOfEmail(
  tx: Tx,
  { email_domains: domains }: Pick<SsoProviderRow, 'email_domains'>,
  { identity_id: identityId, email_blind: blind, email_domain }: BoundSubject,
): Promise<Omit<Person, 'made'>> {
  assertRule('email', email_domain !== null && domains.includes(email_domain) && blind !== null);
  const { email, owner } = await lockAddress(tx, blind, null);
  assertRule(
    'email',
    email?.status === 'ACTIVE' && email.identity_id === identityId && owner !== null,
  );
  return { polyUserId: owner.poly_user_id, identityId };
}

async function bindNew(
  tx: Tx,
  deps: Now,
  { account_id, issuer }: Pick<SsoProviderRow, 'account_id' | 'issuer'>,
  { digest, address }: Subject,
): Promise<Person> {
  const { ids, now } = deps;
  const binding = { digest, account_id, issuer, created_at: now };
  if (!address) {
    const polyUserId = await makePerson(tx, deps);
    const none = { identity_id: null, email_domain: null };
    await bindSubject(tx, { ...binding, ...none, poly_user_id: polyUserId });
    return { polyUserId, identityId: null, made: 'binding' };
  }
  const isKnown = (await findLoginEmail(tx, address.blind)) !== null;
  const email = await logInByAddress(tx, { ids }, address, now);
  assertRule('email', email !== null);
  const { identity_id, poly_user_id } = email;
  const by = { identity_id, email_domain: address.domain };
  assertRule('email', await bindSubject(tx, { ...binding, ...by, poly_user_id }));
  const made = isKnown ? 'binding' : 'login_email';
  return { polyUserId: poly_user_id, identityId: identity_id, made };
}

async function makePerson(tx: Tx, { ids, now }: Now): Promise<string> {
  const person = { polyUserId: ids.make('pu'), groupId: ids.make('ig'), createdAt: now };
  return (await addEmailOnlyUser(tx, person)).poly_user_id;
}
