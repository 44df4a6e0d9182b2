import { attachAddress } from '../../../activities/identity/attach.ts';
import { sealLoginEmail } from '../../../activities/identity/email/answer.ts';
import { writeReportUrl } from '../../../activities/meetings/report/report-url.ts';
import { appendToLog } from '../../../activities/transparency/append.ts';
import type { Seed } from '../../../cli/data-directory/seed.ts';
import { transaction, type Db } from '../../../db/client.ts';
import { randomIds } from '../../../db/ids.ts';
import { addUser } from '../../../db/queries/seeding.ts';
import { readAddress } from '../../../domain/identity/email-address.ts';
import type { Device } from '../../../simulator/device/device.ts';
import { enroll, newPhone } from '../../support/checks/phone.ts';
import { call, done, type Answer } from '../../support/http/client.ts';
import { platformKeys } from '../../support/keys/bundles.ts';
import { ownSealer } from '../../support/keys/own-sealer.ts';
import { newAccount } from '../../support/people/accounts.ts';
import { emailSession } from '../../support/people/email-users.ts';
import { newPlatformAccount } from '../../support/people/samples.ts';
import { sidOf } from '../../support/people/sid-of.ts';

/** One of each object of an account, by the names in paths. */
export interface Things {
  readonly account_id: string;
  readonly app_id: string;
  readonly link_uuid: string;
  readonly id: string;
  readonly trust_check_session_id: string;
  readonly endpoint_id: string;
  readonly delivery_id: string;
  readonly key_id: string;
  readonly poly_user_id: string;
  readonly provider: string;
  readonly event_id: string;
  readonly device_id: string;
  readonly identity_id: string;
  /** An idle session of the owner of the device. */
  readonly sid: string;
  readonly meeting_id: string;
  readonly conf_a_account_id: string;
  readonly affidavit_id: string;
  readonly object_path: string;
  readonly encoded_storage_url: string;
  /** A link on which no check can begin. */
  readonly pausedLink: string;
  readonly meetingLink: string;
  /** A meeting link that permitted callers start. */
  readonly startedLink: string;
  /** A join session of the meeting link. */
  readonly join_session_id: string;
  /** A participant of the meeting. */
  readonly participant_id: string;
  /** A running check. */
  readonly runningCheck: string;
  readonly spareApp: string;
  /** A person who is a member of no account. */
  readonly guest: string;
}

/** One side of the matrix: an account with its objects and credentials. */
export interface Stage {
  readonly seed: Seed;
  readonly things: Things;
  /** The same objects in an app in test mode, if requested. */
  readonly testThings: Things;
  readonly phone: Device;
  readonly checkToken: string;
  readonly otherCheckToken: string;
  readonly joinToken: string;
}

const text = (answer: Answer, name: string): string => String(answer.body[name]);

/** The objects that belong to an app. */
type Moded = Pick<
  Things,
  | 'app_id'
  | 'link_uuid'
  | 'id'
  | 'trust_check_session_id'
  | 'endpoint_id'
  | 'delivery_id'
  | 'event_id'
  | 'meeting_id'
  | 'affidavit_id'
  | 'object_path'
  | 'encoded_storage_url'
  | 'pausedLink'
  | 'meetingLink'
  | 'startedLink'
  | 'join_session_id'
  | 'participant_id'
  | 'runningCheck'
  | 'spareApp'
>;

/** Creates one of each object of an app, with a key of the app's mode. */
async function newModed(db: Db, seed: Seed, mark: string, subject: string, as: Mode) {
  const { account_id } = seed;
  const { app_id, token } = as;
  const account = `/v2/accounts/${account_id}`;
  const ask = (method: string, path: string, body?: unknown): Promise<Answer> =>
    done(`${method} ${path}`, () => call(method, path, { token, body }));
  const link = async (app: string, body: Record<string, unknown> = {}): Promise<string> =>
    text(
      await ask('PUT', `/v2/link/${app}`, { title: mark, required_proofs: ['phone'], ...body }),
      'link_uuid',
    );
  const begin = async (link_uuid: string): Promise<[string, string]> => {
    const begun = await ask('POST', '/v2/trust-checks', { link_uuid, client: 'web' });
    return [text(begun, 'link_session_id'), text(begun, 'check_token')];
  };
  const cancel = (id: string): Promise<Answer> => ask('POST', `/v2/trust-checks/${id}/cancel`, {});
  const spareApp = `${app_id}-spare`;
  await ask('PUT', `${account}/apps/${spareApp}`, { name: mark, kind: 'sdk' });
  const link_uuid = await link(app_id);
  const pausedLink = await link(app_id);
  await ask('PATCH', `/v2/${pausedLink}`, { paused: true });
  const [[id, checkToken], [runningCheck, otherCheckToken]] = await Promise.all([
    begin(link_uuid),
    begin(link_uuid),
  ]);
  await cancel(id);
  const meeting = { link_type: 'meeting', meeting: { platform: 'sandbox', topic: mark } };
  const [meetingLink, startedLink] = [await link(app_id, meeting), await link(app_id, meeting)];
  const joined = await ask('POST', '/v2/join/session', { link_uuid: meetingLink });
  await ask('POST', `/v2/start/${startedLink}`, {});
  const started = await ask('POST', `/v2/start/${meetingLink}`, {});
  const meeting_id = text(started, 'meeting_id');
  const endpoint = await ask('POST', `${account}/webhook-endpoints`, {
    url: 'http://127.0.0.1:9/',
    types: ['meeting.ended'],
  });
  const endpoint_id = text(endpoint, 'endpoint_id');
  const tested = await ask('POST', `${account}/webhook-endpoints/${endpoint_id}/test`, {
    type: 'link.created',
  });
  const events = await ask('GET', `/v2/events?limit=1&stream=link:${link_uuid}`);
  const [event] = events.body['items'] as { event_id: string }[];
  const moded: Moded = {
    app_id,
    link_uuid,
    id,
    trust_check_session_id: id,
    endpoint_id,
    delivery_id: text(tested, 'delivery_id'),
    event_id: event?.event_id ?? '',
    meeting_id,
    ...(await filesOf(db, seed, { id, app_id, meetingId: meeting_id, subject })),
    pausedLink,
    meetingLink,
    startedLink,
    join_session_id: text(joined, 'join_session_id'),
    participant_id: text(started, 'participant_id'),
    runningCheck,
    spareApp,
  };
  return { moded, checkToken, otherCheckToken, joinToken: text(joined, 'join_token') };
}

interface Mode {
  readonly app_id: string;
  readonly token: string;
}

async function newTestMode({ account_id, api_key: token }: Seed, mark: string): Promise<Mode> {
  const account = `/v2/accounts/${account_id}`;
  const app_id = `${mark}-test`;
  await done('an app', () =>
    call('PUT', `${account}/apps/${app_id}`, {
      token,
      body: { name: mark, kind: 'sdk', livemode: false },
    }),
  );
  const body = { name: 'the stage', roles: ['ADMIN'], livemode: false };
  const made = await done('a key', () => call('POST', `${account}/api-keys`, { token, body }));
  return { app_id, token: text(made, 'api_key') };
}

/** Creates an account with one of each object. Its name and link titles contain `mark`. */
export async function newStage(
  db: Db,
  mark: string,
  subject: string,
  modes: 'live' | 'both modes' = 'live',
): Promise<Stage> {
  const seed = await newAccount(mark);
  const { account_id, app_id, api_key: token } = seed;
  const { moded, ...tokens } = await newModed(db, seed, mark, subject, { app_id, token });
  const inTest =
    modes === 'live'
      ? null
      : await newModed(db, seed, mark, subject, await newTestMode(seed, mark));
  // One phone signs in, the other is revoked.
  const [phone, spare] = await Promise.all([newPhone('android'), newPhone('android')]);
  for (const each of [phone, spare]) {
    const enrolled = await enroll(each, { app_id }, { token: seed.admin.session_token });
    if (enrolled.status !== 201) throw new Error(`not enrolled: ${enrolled.text}`);
  }
  const guest = randomIds.make('pu');
  await addUser(db, [guest, 'cert', new Date()]);
  const spareKey = await done('a key', () =>
    call('POST', `/v2/accounts/${account_id}/api-keys`, {
      token,
      body: { name: 'a spare', roles: ['VIEWER'] },
    }),
  );
  const things: Things = {
    ...moded,
    account_id: String(account_id),
    key_id: text(spareKey, 'key_id'),
    poly_user_id: seed.member.poly_user_id,
    provider: await newProviderRow(db, account_id),
    device_id: spare.enrolled?.deviceId ?? '',
    identity_id: await newIdentity(db, mark, seed.admin.poly_user_id),
    sid: sidOf(await emailSession(db, seed.admin.poly_user_id)),
    conf_a_account_id: await newPlatformAccount(account_id),
    guest,
  };
  return { seed, things, testThings: { ...things, ...inTest?.moded }, phone, ...tokens };
}

/** Creates an enabled provider. Its issuer is never called. */
export async function newProviderRow(db: Db, accountId: number): Promise<string> {
  const name = `idp-${randomIds.bytes(6).toString('hex')}`;
  await db.query(
    `INSERT INTO sso_providers (provider, account_id, kind, issuer, client_id, group_claim,
       group_roles, role_ceiling, created_at, updated_at)
     VALUES ($1, $2, 'jwt', 'https://login.example.test', 'trustcheck', 'groups', '{}', 'MEMBER',
       now(), now())`,
    [name, accountId],
  );
  return name;
}

async function newIdentity(db: Db, mark: string, polyUserId: string): Promise<string> {
  const address = readAddress(`${mark}@example.test`);
  if (!address) throw new Error('no address');
  const sealed = await sealLoginEmail(ownSealer(db), address);
  const told = { ids: randomIds, now: new Date() };
  const { email } = await transaction(db, (tx) => attachAddress(tx, told, sealed, polyUserId));
  return String(email.identity_id);
}

/** Inserts an affidavit, a photo and a report as the workers write them. */
async function filesOf(
  db: Db,
  { account_id }: Seed,
  {
    id,
    app_id,
    meetingId,
    subject,
  }: Readonly<Record<'id' | 'app_id' | 'meetingId' | 'subject', string>>,
): Promise<Pick<Things, 'affidavit_id' | 'object_path' | 'encoded_storage_url'>> {
  const affidavit_id = randomIds.make('aff');
  const object_path = `${randomIds.bytes(32).toString('base64url')}.jpg`;
  const reportKey = `reports/${account_id}/${randomIds.make('rp')}.pdf`;
  await db.query('UPDATE trust_checks SET poly_user_id = $2 WHERE link_session_id = $1', [
    id,
    subject,
  ]);
  await db.query(
    `INSERT INTO affidavits (affidavit_id, link_session_id, poly_user_id, account_id, app_id,
       status, affidavit_key, sha256, pades_level, sealed_at, available_at, created_at)
     VALUES ($1, $2, $3, $4, $5, 'available', $6, $7, 'B-LTA', now(), now(), now())`,
    [affidavit_id, id, subject, account_id, app_id, `affidavits/x/${id}/v1.pdf`, 'a'.repeat(64)],
  );
  const logged = { affidavit_id, sha256: 'a'.repeat(64), sealed_at: new Date() };
  await transaction(db, (tx) => appendToLog(tx, logged, new Date()));
  await db.query(
    `INSERT INTO photos (object_path, link_session_id, object_key, content_type, created_at,
       expires_at) VALUES ($1, $2, $3, 'image/jpeg', now(), now() + interval '1 hour')`,
    [object_path, id, `photos/${affidavit_id}`],
  );
  await db.query(
    `INSERT INTO meeting_reports (report_id, meeting_key, account_id, version, status, object_key,
       created_by, created_at, available_at)
     SELECT $1, meeting_key, account_id, 999, 'available', $2, 'a test', now(), now()
     FROM meetings WHERE meeting_id = $3`,
    [randomIds.make('mr'), reportKey, Buffer.from(meetingId, 'base64url')],
  );
  // The ten minutes of the signed URL are over, so the URL needs a credential.
  const secret = platformKeys().secret('report-urls');
  const encoded_storage_url = writeReportUrl(secret, reportKey, new Date(Date.now() - 1000));
  return { affidavit_id, object_path, encoded_storage_url };
}
