import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Db } from '../../../db/client.ts';
import { randomIds } from '../../../db/ids.ts';
import { enrolledPhone, pairedSession } from '../../support/checks/phone.ts';
import {
  beginSession,
  call,
  collecting,
  newLink,
  newNumber,
  type Answer,
  type Session,
} from '../../support/http/client.ts';
import { openTestDb } from '../../support/platform/harness.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';
import { startSecondApi } from '../../support/platform/second-api.ts';

const { own, foreign, databaseUrl } = ownPlatform();
const outcome = ({ status, body }: Answer): unknown[] => [status, body['code']];
let db: Db;
beforeAll(() => {
  db = openTestDb(databaseUrl);
});
afterAll(() => db.end());

const put = (session: Session, name: string, raw: Uint8Array, type = 'application/octet-stream') =>
  call('PUT', `/v2/trust-checks/${session.id}/evidence/${name}`, {
    token: session.token,
    raw,
    headers: { 'content-type': type },
  });

/** Returns a session that waits for consent. */
async function paired(body: Record<string, unknown> = {}): Promise<Session> {
  const session = await beginSession(await newLink(body));
  await session.step('open');
  await session.step('pair');
  return session;
}

async function submissionsOf({ id }: Session): Promise<number> {
  const find = 'SELECT 1 FROM proof_submissions WHERE link_session_id = $1';
  return (await db.query(find, [id])).rowCount ?? 0;
}

describe('a trust check', () => {
  it('returns 404 for a link that does not exist', async () => {
    const body = { link_uuid: '6f9619ff-8b86-4d01-b42d-00cf4fc964ff', client: 'web' };
    expect(outcome(await call('POST', '/v2/trust-checks', { body }))).toEqual([404, 'not_found']);
  });

  it('refuses data of the subject before consent', async () => {
    const session = await paired();
    const number = { phone_number: newNumber() };
    const consentRequired = [409, 'consent_required'];
    expect(outcome(await session.step('phone/code', number))).toEqual(consentRequired);
    expect(outcome(await put(session, 'sod', Buffer.from([1])))).toEqual(consentRequired);
    const submit = async () => outcome(await session.step('proofs/phone', { code: '000000' }));
    expect(await submit()).toEqual(consentRequired);
    expect(await submissionsOf(session)).toBe(0);
  });

  it('refuses codes, evidence and proofs after its end', async () => {
    const session = await collecting(await newLink());
    await session.step('cancel');
    const ended = [409, 'invalid_state'];
    expect(outcome(await session.step('phone/code', { phone_number: newNumber() }))).toEqual(ended);
    expect(outcome(await put(session, 'sod', Buffer.from([1])))).toEqual(ended);
    expect(outcome(await session.step('proofs/phone', { code: '000000' }))).toEqual(ended);
    expect(outcome(await session.step('retry'))).toEqual(ended);
  });

  it('is not opened by the workflow after its end, even if the row still says `created`', async () => {
    const session = await beginSession(await newLink());
    await session.step('cancel');
    await db.query(`UPDATE trust_checks SET status = 'created' WHERE link_session_id = $1`, [
      session.id,
    ]);
    expect(outcome(await session.step('open'))).toEqual([409, 'invalid_state']);
  });

  /** Returns another id of the same person, as an adopted account has. */
  const aliasOf = async (polyUserId: string): Promise<string> => {
    const alias = randomIds.make('pu');
    await db.query(
      `INSERT INTO poly_users (poly_user_id, identity_group_id, kind, adopted_by, created_at)
       SELECT $1, identity_group_id, 'email', poly_user_id, now() FROM poly_users
       WHERE poly_user_id = $2`,
      [alias, polyUserId],
    );
    return alias;
  };
  const bindTo = (id: string, polyUserId: string) =>
    db.query('UPDATE trust_checks SET poly_user_id = $2 WHERE link_session_id = $1', [
      id,
      polyUserId,
    ]);

  it('cannot be reviewed by its subject under any of their ids', async () => {
    const { poly_user_id: subject, session_token: token } = own.admin;
    for (const id of [subject, await aliasOf(subject)]) {
      const session = await beginSession(await newLink());
      await bindTo(session.id, id);
      const body = { decision: 'approve', note: 'myself' };
      const path = `/v2/trust-checks/${session.id}/review`;
      expect(outcome(await call('POST', path, { token, body }))).toEqual([
        403,
        'subject_may_not_review',
      ]);
    }
  });

  it('shows its evidence to its subject under any of their ids', async () => {
    const { poly_user_id: subject, session_token: token } = foreign.member;
    const { id } = await beginSession(await newLink());
    const path = `/v2/trust-checks/${id}/evidence`;
    await bindTo(id, own.member.poly_user_id);
    expect((await call('GET', path, { token })).status).toBe(404);
    await bindTo(id, await aliasOf(subject));
    expect((await call('GET', path, { token })).status).toBe(200);
  });
});

describe('the order in which faults are reported', () => {
  const unknown = 'ev_00000000000000000000000000';
  const files = { sod: unknown, data_groups: { DG1: unknown } };
  it.each<[string, string, unknown, number, string | undefined]>([
    ['a code that is missing, before its state', 'proofs/phone', {}, 422, undefined],
    [
      'files that are missing, before a proof not asked for',
      'proofs/nfc_passport',
      {},
      422,
      undefined,
    ],
    ['files not known, before it', 'proofs/nfc_passport', files, 422, 'evidence_unknown'],
    ['a proof not asked for, before its state', 'proofs/device', {}, 409, 'proof_not_expected'],
  ])('%s', async (_, step, body, status, code) => {
    const session = await beginSession(await newLink());
    const answer = await session.step(step, body);
    expect(answer.status).toBe(status);
    if (status === 409) expect(answer.body['code']).toBe(code);
    else if (code) expect(answer.text).toContain(code);
    const stranger = await beginSession(await newLink());
    const path = `/v2/trust-checks/${session.id}/${step}`;
    const theirs = await call('POST', path, { token: stranger.token, body });
    expect(theirs.status).toBe(code ? 404 : 422);
  });

  it('reports an empty upload before another session and before the wrong state', async () => {
    const [session, stranger] = [await paired(), await paired()];
    for (const { token } of [session, stranger]) {
      expect((await put({ ...session, token }, 'sod', Buffer.alloc(0))).status).toBe(422);
      const early = await put({ ...session, token }, 'sod', Buffer.from([1]));
      expect(early.status).toBe(token === session.token ? 409 : 404);
    }
  });

  it('reports another device before a proof that was not requested', async () => {
    const device = await enrolledPhone();
    const session = await pairedSession(device, await newLink({ required_proofs: ['device'] }));
    const answer = await session.step('proofs/phone', { code: '000000' });
    expect(outcome(answer)).toEqual([403, 'device_not_paired']);
  });
});

describe('proofs that were not requested', () => {
  it('are refused', async () => {
    const session = await collecting(await newLink());
    const refused = [409, 'proof_not_expected'];
    expect(outcome(await session.step('proofs/device', {}))).toEqual(refused);
    expect(outcome(await session.step('challenges', { proof: 'nfc_passport' }))).toEqual(refused);
  });

  it('have no codes and no challenges', async () => {
    const session = await beginSession(await newLink({ required_proofs: ['nfc_passport'] }));
    const sent = await session.step('phone/code', { phone_number: newNumber() });
    expect(outcome(sent)).toEqual([409, 'proof_not_expected']);
    const early = await session.step('challenges', { proof: 'nfc_passport' });
    expect(outcome(early)).toEqual([409, 'invalid_state']);
    await db.query(`UPDATE trust_checks SET status = 'paired' WHERE link_session_id = $1`, [
      session.id,
    ]);
    const unconsented = await session.step('challenges', { proof: 'nfc_passport' });
    expect(outcome(unconsented)).toEqual([409, 'consent_required']);
  });
});

describe('evidence', () => {
  it('is limited to 40 files of 10 MiB each', async () => {
    const session = await collecting(await newLink());
    const large = await put(session, 'sod', new Uint8Array(10 * 1024 * 1024 + 1));
    expect(outcome(large)).toEqual([413, 'too_large']);
    for (let index = 0; index < 40; index += 1) {
      expect((await put(session, 'sod', Buffer.from([0x30, index]))).status).toBe(200);
    }
    const one = await put(session, 'sod', Buffer.from([0x30, 0]));
    expect(one.status).toBe(200);
    const over = await put(session, 'sod', Buffer.from([0x30, 99]));
    expect(outcome(over)).toEqual([409, 'evidence_limit']);
  });
});

describe('phone codes', () => {
  it('are sent at most five times, and further attempts are rate-limited', async () => {
    const session = await collecting(await newLink());
    let aheadMs = 0;
    const api = await startSecondApi({}, { clock: () => new Date(Date.now() + aheadMs) });
    try {
      const path = `/v2/trust-checks/${session.id}/phone/code`;
      const send = () =>
        call('POST', path, {
          at: api.origin,
          token: session.token,
          body: { phone_number: '+4915112300001' },
        });
      for (let sends = 0; sends < 5; sends += 1) {
        expect((await send()).status).toBe(202);
        aheadMs += 61_000;
      }
      expect(outcome(await send())).toEqual([409, 'sends_exhausted']);
      for (let more = 0; more < 14; more += 1) await send();
      expect(outcome(await send())).toEqual([429, 'rate_limited']);
    } finally {
      await api.stop();
    }
  });
});

describe('rate limits of one session', () => {
  const limits: [string, number, (session: Session) => Promise<Answer>][] = [
    ['challenges', 60, (session) => session.step('challenges', { proof: 'nfc_passport' })],
    ['uploads', 120, (session) => put(session, 'sod', Buffer.from([1]))],
    ['proofs', 120, (session) => session.step('proofs/phone', { code: '000000' })],
  ];
  it.each(limits)('apply to %s', async (_name, points, act) => {
    const session = await beginSession(await newLink());
    const answers = await Promise.all(Array.from({ length: points + 1 }, () => act(session)));
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused.map(outcome)).toEqual([[429, 'rate_limited']]);
  });

  it('allow 900 pair tokens and refuse the next', async () => {
    const session = await beginSession(await newLink());
    const ask = () => session.step('pair-token');
    for (let asked = 0; asked < 900; asked += 30) {
      await Promise.all(Array.from({ length: 30 }, ask));
    }
    expect(outcome(await ask())).toEqual([429, 'rate_limited']);
  });
});
