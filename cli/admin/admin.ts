import { z } from 'zod';
import { inviteAddress } from '../../activities/identity/invite.ts';
import { label, roleList } from '../../api/accounts/schemas.ts';
import { keyRoles } from '../../api/api-keys/contract.ts';
import { defaultRedirectUrl } from '../../api/apps/change.ts';
import { reservedWords } from '../../api/apps/reserved-words.ts';
import { createAppRequest } from '../../api/apps/schemas/schemas.ts';
import { hashApiKey } from '../../api/http/auth/credentials/api-key.ts';
import { appId } from '../../api/http/fields/ids.ts';
import { lockedTransaction, transaction, type Db, type Tx } from '../../db/client.ts';
import { randomIds } from '../../db/ids.ts';
import { lockAccount } from '../../db/queries/accounts.ts';
import { addApiKey } from '../../db/queries/api-keys.ts';
import { addApp } from '../../db/queries/apps.ts';
import { appendAudit, type AuditEntry } from '../../db/queries/audit.ts';
import type { InvitedAddress } from '../../db/queries/invited-addresses.ts';
import { findLoginEmail } from '../../db/queries/login-emails.ts';
import { addMember, lockMember, setMemberRoles } from '../../db/queries/memberships.ts';
import { addAccount } from '../../db/queries/seeding.ts';
import { readAddress, type Address } from '../../domain/identity/email-address.ts';
import { rolesIn, roles, type Role } from '../../domain/names.ts';
import { newApiKey } from '../data-directory/seed.ts';

/** Actor of command line changes in the audit log. */
export const actor = 'operator';

/** The requested action is impossible. The message is one line. */
export class AdminFault extends Error {
  override readonly name: string = 'AdminFault';
}

/** An argument of the command line is invalid. */
export class WrongWord extends AdminFault {
  override readonly name = 'WrongWord';
}

export const accountNumber = z.string().regex(/^[1-9]\d{0,9}$/, 'must be the number of an account');
const roleNames = z.string().transform((text) => text.toUpperCase().split(','));
/** Parses role names, separated by commas. */
const rolesOf = <const Name extends Role>(names: readonly Name[]) =>
  roleNames
    .pipe(z.array(z.enum(names, `must be one of ${names.join(', ')}; several by commas`)))
    .pipe(roleList(names));

/**
 * Parses a value.
 * @throws WrongWord with the name of the option
 */
export function read<Schema extends z.ZodType>(option: string, schema: Schema, given: unknown) {
  const parsed = schema.safeParse(given);
  if (parsed.success) return parsed.data;
  const why = parsed.error.issues[0]?.message ?? 'not understood';
  throw new WrongWord(`${option}: ${why}`);
}

type AdminEntry = Omit<AuditEntry, 'accountId' | 'actor'>;

/**
 * Runs work in an account, under its lock.
 * @throws AdminFault if the account does not exist
 */
export function within<T>(
  db: Db,
  account: string,
  now: Date,
  work: (tx: Tx, accountId: number, note: (entry: AdminEntry) => Promise<void>) => Promise<T>,
): Promise<T> {
  const accountId = Number(read('--account', accountNumber, account));
  const lock = (tx: Tx) => lockAccount(tx, accountId);
  return lockedTransaction(db, lock, (tx, row) => {
    if (!row) throw new AdminFault(`there is no account ${accountId}`);
    return work(tx, accountId, (entry) => appendAudit(tx, { ...entry, accountId, actor }, now));
  });
}

/** Creates an account. Returns its number. */
export function makeAccount(
  db: Db,
  given: { readonly name: string; readonly verified?: boolean },
  now: Date,
): Promise<number> {
  const name = read('--name', label(120), given.name);
  const verified = given.verified ?? false;
  return transaction(db, async (tx) => {
    const [row] = await addAccount(tx, [name, verified, now]);
    if (!row) throw new Error('no account was made');
    const { account_id: accountId } = row;
    const entry = {
      accountId,
      actor,
      objectId: String(accountId),
      details: { to: { name, verified } },
    };
    await appendAudit(tx, { ...entry, action: 'account.created' }, now);
    return accountId;
  });
}

/** Creates an app with the defaults of its kind. Returns its id. */
export function makeApp(
  db: Db,
  given: {
    readonly appId: string;
    readonly account: string;
    readonly name: string;
    readonly kind: string;
  },
  baseUrl: string,
  now: Date,
): Promise<string> {
  const app_id = read('app_id', appId, given.appId);
  const { name, kind } = given;
  const parsed = read('--name and --kind', createAppRequest, { name, kind });
  // No phone belongs to the app until its identities are set.
  const body = { ...parsed, apple: null, android: null, livemode: true };
  if (reservedWords.has(app_id)) throw new WrongWord(`${app_id}: no app can have this id`);
  return within(db, given.account, now, async (tx, account_id, note) => {
    const redirect_url = defaultRedirectUrl({ kind: body.kind, app_id }, baseUrl);
    const row = { ...body, app_id, account_id, status: 'active' as const, redirect_url };
    if (!(await addApp(tx, { ...row, created_at: now }))) {
      throw new AdminFault(`${app_id}: another app has this id`);
    }
    await note({ action: 'app.created', objectId: app_id, details: { to: body } });
    return app_id;
  });
}

/** The new member: by id, or by an address. */
interface Invited {
  readonly polyUserId?: string | undefined;
  readonly email?: string | undefined;
}

/**
 * Adds a member, or sets the roles of a member, POLYADMIN included. Returns the roles. An address
 * stands for its current owner, or for the first person who proves it.
 */
export async function makeMember(
  db: Db,
  given: Invited & { readonly account: string; readonly role: string },
  sealEmail: (address: Address) => Promise<InvitedAddress>,
  now: Date,
): Promise<string> {
  const to = read('--role', rolesOf(roles), given.role);
  if ((given.polyUserId === undefined) === (given.email === undefined)) {
    throw new WrongWord('name a person by poly_user_id or by --email, and not by both');
  }
  const email = given.email === undefined ? null : await sealEmail(readEmail(given.email));
  return within(db, given.account, now, async (tx, accountId, note) => {
    const objectId = email ? await personOf(tx, accountId, email, now) : (given.polyUserId ?? '');
    const before = await lockMember(tx, accountId, objectId);
    if (before) {
      await setMemberRoles(tx, accountId, objectId, to);
      const details = { from: { roles: rolesIn(before.roles) }, to: { roles: to } };
      await note({ action: 'member.updated', objectId, details });
    } else {
      if (!(await addMember(tx, accountId, objectId, to, now))) {
        throw new AdminFault('there is no such person: they enroll a device, or sign in, first');
      }
      await note({ action: 'member.added', objectId, details: { to: { roles: to } } });
    }
    return to.join(',');
  });
}

function readEmail(text: string): Address {
  const address = readAddress(text);
  if (!address) throw new WrongWord('--email: one plain email address');
  return address;
}

/** Returns the person who signs in with an address, else its placeholder person. */
async function personOf(
  tx: Tx,
  accountId: number,
  address: InvitedAddress,
  now: Date,
): Promise<string> {
  const email = await findLoginEmail(tx, address.blind);
  if (email?.status === 'ACTIVE') return email.poly_user_id;
  return inviteAddress(tx, { ids: randomIds, now }, accountId, address);
}

/** Creates an API key. Returns the whole key, which cannot be shown again. */
export function makeKey(
  db: Db,
  given: {
    readonly account: string;
    readonly name: string;
    readonly role: string;
    readonly test?: boolean;
  },
  now: Date,
): Promise<string> {
  const name = read('--name', label(120), given.name);
  const held = read('--role', rolesOf(keyRoles), given.role);
  const livemode = !given.test;
  const { id: key_id, key } = newApiKey(livemode ? 'live' : 'test');
  return within(db, given.account, now, async (tx, account_id, note) => {
    const to = { name, roles: held, livemode, expires_at: null };
    const row = {
      ...to,
      scopes: null,
      app_ids: null,
      key_id,
      account_id,
      hash: hashApiKey(key),
      created_at: now,
    };
    const maker = { created_by: null, sso_member: null, sso_provider: null };
    if (!(await addApiKey(tx, { ...row, ...maker }))) throw new Error('a key was not made');
    await note({ action: 'api_key.created', objectId: key_id, details: { to } });
    return key;
  });
}
