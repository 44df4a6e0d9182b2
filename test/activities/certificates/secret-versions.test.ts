import { afterAll, beforeAll, expect, it } from 'vitest';
import { createMailer } from '../../../activities/delivery/mail/config.ts';
import { createOutbox } from '../../../activities/delivery/outbox.ts';
import { createEmailActivities } from '../../../activities/identity/email/activities.ts';
import { takeToken } from '../../../activities/identity/email/answer.ts';
import { keepEmailRequest } from '../../../activities/identity/email/requests.ts';
import { masterSecretsOf } from '../../../activities/keys/directory/master-secrets.ts';
import { createPhoneJudge, numberContext } from '../../../activities/proofs/phone/proof.ts';
import { deriveKeys, storedOrNew } from '../../../api/api-keys/make.ts';
import { hashApiKey } from '../../../api/http/auth/credentials/api-key.ts';
import { isSecretOf, secretOf } from '../../../api/webhook-endpoints/secret.ts';
import { transaction } from '../../../db/client.ts';
import { randomIds } from '../../../db/ids.ts';
import { addApiKey } from '../../../db/queries/api-keys.ts';
import { addPhoneCode } from '../../../db/queries/proofs.ts';
import { accountOwner } from '../../../db/sealing/sealed.ts';
import { readAddress } from '../../../domain/identity/email-address.ts';
import { codeLifeMs, deriveCode } from '../../../domain/proofs/phone/code.ts';
import { secretVersion } from '../../support/keys/own-secrets.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';
import { closeStage, newSession, stage, type Stage } from '../../support/races/stage.ts';

const { baseUrl } = ownPlatform();
const now = new Date();
const [first, second] = [
  secretVersion(),
  secretVersion({ version: 2, secret: Buffer.alloc(32, 2) }),
];
const before = masterSecretsOf([first]);
const rotated = masterSecretsOf([second, { ...first, state: 'retired', endedAt: now }]);
const stolen = masterSecretsOf([second, { ...first, state: 'revoked', endedAt: now }]);

let on: Stage;
beforeAll(async () => {
  on = await stage();
});
afterAll(closeStage);

/** Requests a mail before the rotation, sends it, and answers with its code afterwards. */
async function answerAfter(keys: typeof before, sender = keys) {
  const { db, sealer } = on;
  const requestId = randomIds.make('er');
  const address = readAddress(`${requestId}@example.test`);
  if (!address) throw new Error('no address');
  const ids = { ...randomIds, make: () => requestId };
  const nothing = { polyUserId: null, network: null, appId: null, returnTo: null, locale: null };
  const asked = { purpose: 'login', address, ...nothing } as const;
  const { code } = await transaction(db, (tx) =>
    keepEmailRequest({ db: tx, sealer, ids, keys: before }, asked, now),
  );
  const clock = () => now;
  const mailer = createMailer({ PROFILE: 'development' }, createOutbox(db, randomIds, clock));
  const deps = { db, sealer, mailer, clock, baseUrl, keys: sender };
  const { status: sent } = await createEmailActivities(deps).sendEmail({ request_id: requestId });
  const { rows } = await db.query<{ text: string }>(
    'SELECT text FROM outbox_messages WHERE recipient = $1',
    [address.deliverable],
  );
  const token = /#t=([\w-]+)/.exec(rows[0]?.text ?? '')?.[1] ?? '';
  const offered = { purpose: 'login', token, browserToken: null, code, polyUserId: null } as const;
  const { status } = await transaction(db, (tx) => takeToken(tx, { keys }, offered, now));
  return { sent, status };
}

it('a mail requested before the rotation is sent and accepted after it', async () => {
  expect(await answerAfter(rotated)).toEqual({ sent: 'sent', status: 'taken' });
});

it('a mail under a stolen version is not sent, and one already sent is not accepted', async () => {
  expect(await answerAfter(stolen)).toEqual({ sent: 'dropped', status: 'invalid' });
  expect(await answerAfter(stolen, before)).toEqual({ sent: 'sent', status: 'invalid' });
});

it.each([
  ['is accepted after the rotation', rotated, ['passed', null]],
  ['is not accepted under a stolen version', stolen, ['rejected', 'code_not_sent']],
])('a code by SMS %s', async (_what, keys, expected) => {
  const { db, sealer } = on;
  const session = await newSession(on, { status: 'collecting' });
  const { link_session_id, account_id } = session;
  const code = {
    link_session_id,
    series: 1,
    secret_version: before.secretVersion,
    number_sealed: await sealer.seal(
      accountOwner(account_id),
      numberContext(link_session_id, 1),
      '+4915112345678',
    ),
    number_blind: Buffer.alloc(32),
    sends: 1,
    sent_at: now,
    expires_at: new Date(now.getTime() + codeLifeMs),
    guesses: 0,
    send_id: null,
  };
  const input = { code: deriveCode(before.secret('sms-code'), link_session_id, 1) };
  const judged = await transaction(db, async (tx) => {
    await addPhoneCode(tx, code);
    const given = { session, input, files: new Map(), now, handedInAt: now };
    return createPhoneJudge({ sealer, keys }).judge({ ...given, tx });
  });
  expect([judged.outcome, judged.reason_code]).toEqual(expected);
});

it('a request for an API key repeated after the rotation returns the key it created', async () => {
  const { db, own } = on;
  const seed = randomIds.uuid();
  const from = { accountId: own.account_id, livemode: true, seed };
  const { key: made } = deriveKeys(before, from, now);
  const again = () =>
    transaction(db, (tx) => storedOrNew(tx, own.account_id, deriveKeys(rotated, from, now)));
  expect((await again()).id).not.toBe(made.id);
  const row = {
    key_id: made.id,
    account_id: own.account_id,
    hash: hashApiKey(made.key),
    created_at: now,
    created_by: 'test',
    sso_member: null,
    sso_provider: null,
    name: 'repeated',
    roles: ['VIEWER'] as const,
    livemode: true,
    scopes: null,
    app_ids: null,
    expires_at: null,
  };
  await transaction(db, (tx) => addApiKey(tx, row));
  expect(await again()).toEqual(made);
});

it('the secret of a webhook endpoint is recognized when its request is repeated', async () => {
  const { sealer, own } = on;
  const { secret } = await secretOf({ keys: before, sealer }, own.account_id, 'we_1', 'seed');
  const of = { seed: 'seed', now };
  expect(isSecretOf(rotated, secret, 'we_1', of)).toBe(true);
  expect(isSecretOf(rotated, secret, 'we_1', { ...of, seed: 'other' })).toBe(false);
  expect(isSecretOf(stolen, secret, 'we_1', of)).toBe(false);
});
