import { keepEmailRequest } from '../../../activities/identity/email/requests.ts';
import { hashApiKey } from '../../../api/http/auth/credentials/api-key.ts';
import { browserCookie, emailCookie } from '../../../api/http/server/browser-cookie.ts';
import { newApiKey, newSession } from '../../../cli/data-directory/seed.ts';
import { openDb, transaction, type Db } from '../../../db/client.ts';
import { randomIds } from '../../../db/ids.ts';
import { markRequestSignaled } from '../../../db/queries/email-requests.ts';
import * as seeding from '../../../db/queries/seeding.ts';
import { platformOwner, type Sealer } from '../../../db/sealing/sealed.ts';
import { readAddress } from '../../../domain/identity/email-address.ts';
import type { EmailPurpose, Role } from '../../../domain/names.ts';
import { makeAttestNonce } from '../../../domain/tokens/attest-nonce.ts';
import { emailToken } from '../../../domain/tokens/email-token.ts';
import { platformKeys } from '../keys/bundles.ts';
import { ownSealer } from '../keys/own-sealer.ts';
import { ownPlatform } from '../platform/own-platform.ts';

let opened: Db | undefined;
let sealing: Promise<Sealer> | undefined;

/** Returns the platform's database, with which a race sets up and inspects rows. */
export function raceDb(): Db {
  opened ??= openWide(ownPlatform().databaseUrl, 10);
  return opened;
}

/** Returns the platform's sealer. Its key is fetched in advance, so no transaction waits for it. */
export function raceSealer(): Promise<Sealer> {
  sealing ??= (async () => {
    const sealer = ownSealer(raceDb());
    await sealer.prepare(platformOwner);
    return sealer;
  })();
  return sealing;
}

export async function closeRaceDb(): Promise<void> {
  await opened?.end();
  opened = undefined;
  sealing = undefined;
}

/** Opens a pool with a connection for each caller. */
export function openWide(url: string, connectionsMax: number): Db {
  const options = { url, connectionsMax, applicationName: 'trustcheck-race' };
  return openDb({ ...options, queryTimeoutMs: 60_000, connectMsMax: 30_000 }, () => undefined);
}

/** Returns the single row of a query, or undefined. */
export async function rowOf<Row extends object>(text: string, values: unknown[]): Promise<Row> {
  const { rows } = await raceDb().query<Row>(text, values);
  return rows[0] as Row;
}

/** Returns how many rows a query finds. */
export async function countRows(text: string, values: unknown[]): Promise<number> {
  return (await raceDb().query(text, values)).rowCount ?? 0;
}

/** Returns how many events of a type the log has for an object. */
export const countEvents = (type: string, objectId: string): Promise<number> =>
  countRows('SELECT 1 FROM events WHERE type = $1::event_type AND object_id = $2', [
    type,
    objectId,
  ]);

let lastName = 0;
/** Returns a name that is unique in this run. */
export function newName(what: string): string {
  lastName += 1;
  return `${what}-${process.pid}-${lastName}-${randomIds.bytes(3).toString('hex')}`;
}

/** Creates an account with one ADMIN key and nothing else. */
export async function bareAccount(): Promise<{ accountId: number; key: string }> {
  const [account] = await seeding.addAccount(raceDb(), ['A racing account', true, new Date()]);
  if (!account) throw new Error('no account was made');
  const { account_id: accountId } = account;
  return { accountId, key: await keyOf(accountId, ['ADMIN']) };
}

/** Creates a key of an account. */
export async function keyOf(accountId: number, roles: readonly Role[]): Promise<string> {
  const { id, key } = newApiKey('live');
  const values = [id, accountId, 'a racing key', hashApiKey(key), roles, true, new Date()];
  await seeding.addApiKey(raceDb(), values);
  return key;
}

export interface Somebody {
  readonly id: string;
  readonly token: string;
}

/** Creates a person with a session that states a certified device. */
export async function certPerson(accountId: number | null, roles: Role[] = []): Promise<Somebody> {
  const db = raceDb();
  const [id, now] = [randomIds.make('pu'), new Date()];
  await seeding.addUser(db, [id, 'cert', now]);
  if (accountId !== null) await seeding.addMembership(db, [id, accountId, roles, now]);
  const { baseUrl } = ownPlatform();
  const deps = { db, keys: platformKeys(), ids: randomIds, baseUrl };
  return { id, token: await newSession(deps, id, accountId, roles, now) };
}

export interface MailedToken {
  readonly token: string;
  readonly code: string;
  /** Cookie of the requesting browser. */
  readonly cookie: string;
  readonly requestId: string;
}

/** Creates a token as it is mailed. No worker is notified, so none mails or supersedes it. */
export async function mailedToken(
  email: string,
  purpose: EmailPurpose,
  polyUserId: string | null = null,
  now = new Date(),
): Promise<MailedToken> {
  const db = raceDb();
  const address = readAddress(email);
  if (!address) throw new Error(`${email} is no address`);
  const keys = platformKeys();
  const requestId = randomIds.make('er');
  const asked = {
    purpose,
    address,
    polyUserId,
    network: null,
    appId: null,
    returnTo: null,
    locale: null,
  };
  const sealer = await raceSealer();
  const { browserToken, code } = await transaction(db, async (tx) => {
    const deps = { db: tx, sealer, ids: { ...randomIds, make: () => requestId }, keys };
    const kept = await keepEmailRequest(deps, asked, now);
    await markRequestSignaled(tx, requestId, now);
    return kept;
  });
  const { baseUrl } = ownPlatform();
  const [cookie = ''] = browserCookie(baseUrl, emailCookie, browserToken).split(';');
  return { token: emailToken(keys.secret('email-token'), requestId), code, cookie, requestId };
}

/** Returns a nonce as an answer contains it, without a request. */
export const freshNonce = (): string =>
  makeAttestNonce(platformKeys().secret('attest-nonce'), randomIds.bytes(16), new Date());

/** Creates `count` objects one after the other, because the setup is not part of the race. */
export async function inTurn<T>(count: number, make: () => Promise<T>): Promise<T[]> {
  const made: T[] = [];
  while (made.length < count) made.push(await make());
  return made;
}
