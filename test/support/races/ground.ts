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

/** The platform's database, for what a race sets up and looks at. */
export function raceDb(): Db {
  opened ??= openWide(ownPlatform().databaseUrl, 10);
  return opened;
}

/** Seals as the platform does; its key is fetched once, and no transaction waits for that. */
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

/** A pool with a connection for each caller. */
export function openWide(url: string, connectionsMax: number): Db {
  const options = { url, connectionsMax, applicationName: 'trustcheck-race' };
  return openDb({ ...options, queryTimeoutMs: 60_000, connectMsMax: 30_000 }, () => undefined);
}

/** The one row of a query, or undefined. */
export async function rowOf<Row extends object>(text: string, values: unknown[]): Promise<Row> {
  const { rows } = await raceDb().query<Row>(text, values);
  return rows[0] as Row;
}

/** How many rows a query finds. */
export async function countRows(text: string, values: unknown[]): Promise<number> {
  return (await raceDb().query(text, values)).rowCount ?? 0;
}

/** How many events of a type the log has of an object. */
export const countEvents = (type: string, objectId: string): Promise<number> =>
  countRows('SELECT 1 FROM events WHERE type = $1::event_type AND object_id = $2', [
    type,
    objectId,
  ]);

let lastName = 0;
/** A name nothing else in this run has. */
export function newName(what: string): string {
  lastName += 1;
  return `${what}-${process.pid}-${lastName}-${randomIds.bytes(3).toString('hex')}`;
}

/** An account with a key of its ADMIN and nothing besides. */
export async function bareAccount(): Promise<{ accountId: number; key: string }> {
  const [account] = await seeding.addAccount(raceDb(), ['A racing account', true, new Date()]);
  if (!account) throw new Error('no account was made');
  const { account_id: accountId } = account;
  return { accountId, key: await keyOf(accountId, ['ADMIN']) };
}

/** A key of an account. */
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

/** Somebody with a certified device, as far as their session goes. */
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
  /** That of the browser which asked. */
  readonly cookie: string;
  readonly requestId: string;
}

/** A token as it is mailed. No worker hears of the request: none mails it, or supersedes it. */
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

/** A nonce as an answer gives it, without asking for one. */
export const freshNonce = (): string =>
  makeAttestNonce(platformKeys().secret('attest-nonce'), randomIds.bytes(16), new Date());

/** Makes so many, one after the other: what is set up is not what is raced. */
export async function inTurn<T>(count: number, make: () => Promise<T>): Promise<T[]> {
  const made: T[] = [];
  while (made.length < count) made.push(await make());
  return made;
}
