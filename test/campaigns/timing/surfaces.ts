import { sealLoginEmail } from '../../../activities/identity/email/answer.ts';
import { blindOf } from '../../../activities/identity/email/requests.ts';
import { logInByAddress } from '../../../activities/identity/log-in.ts';
import { hashApiKey } from '../../../api/http/auth/credentials/api-key.ts';
import { newApiKey } from '../../../cli/data-directory/seed.ts';
import { transaction, type Db } from '../../../db/client.ts';
import { randomIds } from '../../../db/ids.ts';
import * as seeding from '../../../db/queries/seeding.ts';
import { createSealer } from '../../../db/sealing/sealed.ts';
import { masterWrapper } from '../../../db/sealing/wrapper.ts';
import { readAddress } from '../../../domain/identity/email-address.ts';
import { createDevice } from '../../../simulator/device/device.ts';
import { readDevTrust } from '../../../simulator/roots/dev-trust.ts';
import { phoneCheck } from '../../../simulator/session/check.ts';
import { createClient } from '../../../simulator/session/client.ts';
import { signing } from '../../support/http/browser-keys.ts';
import { eventually, type TestPlatform } from '../../support/platform/harness.ts';

/** One measured call. */
export type Shot = (round: number) => { readonly path: string; readonly init: RequestInit };

/** Answers that must be indistinguishable, by their cause. */
export interface Surface {
  readonly name: string;
  /** The status that all of them have. */
  readonly status: number;
  readonly classes: Readonly<Record<string, Shot>>;
}

interface Stage {
  readonly platform: TestPlatform;
  readonly db: Db;
}

const hourMs = 3600_000;

/** Caller addresses, varied so that no limit per address applies. */
const from = (round: number): string => `198.51.${(round >> 8) & 255}.${round & 255}`;
const bearer = (token: string): RequestInit => ({ headers: { authorization: `Bearer ${token}` } });

/** Creates the objects of the calls on a separate platform. */
export async function makeSurfaces(stage: Stage): Promise<Surface[]> {
  return [await affidavitMisses(stage), await apiKeys(stage), await emailLogins(stage)];
}

/** Hides whether a session exists, and its outcome, from other callers. */
async function affidavitMisses({ platform, db }: Stage): Promise<Surface> {
  const { own, foreign } = platform.facts;
  const unsealed = await newSession(platform, own);
  const pending = await newSession(platform, own);
  await db.query(
    `UPDATE trust_checks SET affidavit_status = 'pending' WHERE link_session_id = $1`,
    [pending],
  );
  const sealed = await sealedSession(platform);
  const download =
    (id: (round: number) => string, key: string): Shot =>
    (round) => ({
      path: `/v2/affidavits/${own.app_id}/${id(round)}/download`,
      init: bearer(key),
    });
  return {
    name: 'affidavit misses',
    status: 404,
    classes: {
      'unknown session': download(() => randomIds.make('tc'), own.api_key),
      'no manifest': download(() => unsealed, own.api_key),
      'not populated': download(() => pending, own.api_key),
      'unauthorized caller': download(() => sealed, foreign.api_key),
      'unauthorized caller, unknown session': download(() => randomIds.make('tc'), foreign.api_key),
    },
  };
}

async function newSession(
  { facts }: TestPlatform,
  own: { app_id: string; api_key: string },
): Promise<string> {
  const call = createClient(facts.baseUrl, signing(fetch));
  const body = { required_proofs: ['phone'] };
  const { link_uuid } = await call<{ link_uuid: string }>('PUT', `/v2/${own.app_id}`, {
    token: own.api_key,
    body,
  });
  const begun = await call<{ link_session_id: string }>('POST', '/v2/trust-checks', {
    body: { link_uuid, client: 'web' },
  });
  return begun.link_session_id;
}

async function sealedSession({ facts }: TestPlatform): Promise<string> {
  const { own, baseUrl, dataDir } = facts;
  const call = createClient(baseUrl);
  const link = await call<{ url: string }>('PUT', `/v2/${own.app_id}`, {
    token: own.api_key,
    body: {},
  });
  const trust = await readDevTrust(dataDir);
  const device = createDevice({ platform: 'ios', trust, now: () => new Date() });
  const say = (): void => undefined;
  const number = '+4915112300777';
  const { link_session_id: id } = await phoneCheck({ link: link.url, number, trust, device, say });
  await eventually('the affidavit', async () => {
    const found = await call<{ affidavit: { status: string } }>('GET', `/v2/trust-checks/${id}`, {
      token: own.api_key,
    });
    return found.affidavit.status === 'available';
  });
  return id;
}

/** Hides whether a key exists, existed, or belongs to another caller. */
async function apiKeys({ platform, db }: Stage): Promise<Surface> {
  const { own, foreign } = platform.facts;
  const make = async (expiresAt: Date | null, revokedAt: Date | null): Promise<string> => {
    const { id, key } = newApiKey('live');
    const values = [id, own.account_id, 'a key', hashApiKey(key), ['VIEWER'], true, new Date()];
    await seeding.addApiKey(db, values);
    await db.query('UPDATE api_keys SET expires_at = $2, revoked_at = $3 WHERE key_id = $1', [
      id,
      expiresAt,
      revokedAt,
    ]);
    return key;
  };
  const past = new Date(Date.now() - hourMs);
  const [expired, revoked, good] = [
    await make(past, null),
    await make(null, past),
    await make(null, null),
  ];
  const wrong = `${good.slice(0, -4)}0000`;
  const list =
    (key: () => string): Shot =>
    () => ({ path: '/v2/events?limit=1', init: bearer(key()) });
  return {
    name: 'API keys',
    status: 401,
    classes: {
      unknown: list(() => newApiKey('live').key),
      'wrong secret': list(() => wrong),
      'wrong secret of another account': list(() => `${foreign.api_key.slice(0, -4)}0000`),
      // Letters that never occur in a key, in the form of one.
      'well-formed and never made': list(() => `tk_live_${'l'.repeat(12)}_${'o'.repeat(32)}`),
      expired: list(() => expired),
      revoked: list(() => revoked),
    },
  };
}

const knownCount = 50;
const spell = (kind: string, place: number): string =>
  `${kind}-${String(place).padStart(5, '0')}@example.test`;

/** Returns a sealer, an address and its blind index in the platform’s database. */
function known({ platform: { keys }, db }: Stage, text: string) {
  const master = masterWrapper(keys.secret('data-keys'));
  const sealer = createSealer(db, master, keys.secret('blind-index'));
  const address = readAddress(text);
  if (!address) throw new Error(`${text} is no address`);
  return { sealer, address, blind: blindOf(sealer, address) };
}

/** Creates a person who signs in by an address. */
async function signUp({ platform, db }: Stage, text: string): Promise<void> {
  const { sealer, address } = known({ platform, db }, text);
  const row = await sealLoginEmail(sealer, address);
  const now = new Date();
  await transaction(db, (tx) => logInByAddress(tx, { ids: randomIds }, row, now));
}

const always = spell('always', 1);
/** The daily mail limit of an address. */
const mailsMax = 20;

/** Exhausts the mail limit of an address, and verifies that the next request is dropped. */
async function fill(stage: Stage, ask: Shot): Promise<void> {
  const { db, platform } = stage;
  const { blind } = known(stage, always);
  const asked = async (place: number, column: string): Promise<void> => {
    const { path, init } = ask(place);
    await fetch(`${platform.facts.baseUrl}${path}`, init);
    await eventually(`a request of which is true: ${column}`, async () => {
      const text = `SELECT 1 FROM email_requests WHERE address_blind = $1 AND ${column}`;
      return (await db.query(text, [blind])).rows.length > 0;
    });
  };
  await asked(0, 'mailed_at IS NOT NULL');
  await db.query(
    `INSERT INTO email_requests (request_id, purpose, address_blind, address_sealed, token_hash,
       browser_hash, state, created_at, expires_at, taken_at, mailed_at)
     SELECT request_id || n, purpose, address_blind, address_sealed,
       token_hash || convert_to(n::text, 'UTF8'), browser_hash, 'superseded', created_at,
       expires_at, taken_at, mailed_at
     FROM email_requests, generate_series(2, $2::int) n WHERE address_blind = $1`,
    [blind, mailsMax],
  );
  await asked(1, "state = 'dropped'");
}

/**
 * Hides whether a person signs in by an address, whether that address or its network exceeded its
 * mail limit.
 */
async function emailLogins(stage: Stage): Promise<Surface> {
  const ask =
    (email: (round: number) => string, network = from): Shot =>
    (round) => ({
      path: '/v2/email/login/request',
      init: {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-forwarded-for': network(round) },
        body: JSON.stringify({ email: email(round) }),
      },
    });
  // Networks that have used up the mails of their minute.
  await stage.db.query(
    `INSERT INTO rate_limits (key, points, expire)
     SELECT 'email.login:198.18.0.' || n, 60, $1::bigint FROM generate_series(0, 255) n`,
    [Date.now() + 24 * hourMs],
  );
  const busy = (round: number): string => `198.18.0.${round & 255}`;
  for (let place = 0; place < knownCount; place += 1) await signUp(stage, spell('known-', place));
  await fill(
    stage,
    ask(() => always),
  );
  return {
    name: 'email logins',
    status: 202,
    classes: {
      known: ask((round) => spell('known-', round % knownCount)),
      unknown: ask((round) => spell('nobody', round)),
      limited: ask(() => always),
      'asked too often': ask((round) => spell('dropped', round), busy),
    },
  };
}
