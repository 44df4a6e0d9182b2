import { randomBytes } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { Device } from '../../../../simulator/device/device.ts';
import { asPhone, enrolledPhone } from '../../../support/checks/phone.ts';
import {
  beginSession,
  call,
  codeFor,
  collecting,
  newLink,
  newNumber,
} from '../../../support/http/client.ts';
import { ownPlatform } from '../../../support/platform/own-platform.ts';
import {
  countEvents,
  countRows,
  freshNonce,
  newName,
  rowOf,
} from '../../../support/races/ground.ts';
import {
  atOnce,
  expectFates,
  told,
  untilAnswered,
  type Race,
} from '../../../support/races/race.ts';

const at = (id: string, name: string): string => `/v2/trust-checks/${id}/${name}`;

/** Begins a check that all these phones have joined, and returns the token of each. */
async function begunBy(
  phones: readonly Device[],
  link_uuid: string,
): Promise<{ id: string; tokens: string[] }> {
  let id = '';
  let shown = {};
  const tokens: string[] = [];
  for (const phone of phones) {
    const body = { link_uuid, client: 'mobile', ...shown };
    const begun = await asPhone(phone, () => untilAnswered('POST', '/v2/trust-checks', { body }));
    id = String(begun.body['link_session_id']);
    shown = { pair_token: String(begun.body['pair_url']).split('#p=')[1] };
    tokens.push(String(begun.body['check_token']));
  }
  return { id, tokens };
}

const secondDevice: Race = {
  name: 'second-device',
  rule: 'one phone is bound to a session',
  statements: ['trust_checks.write_step'],
  roundsMax: 60,
  async prepare() {
    const phones: Device[] = [];
    return async (callers) => {
      while (phones.length < callers) phones.push(await enrolledPhone());
      const { id, tokens } = await begunBy(phones.slice(0, callers), await newLink());
      const path = at(id, 'pair');
      const answers = await atOnce(callers, async (place) => {
        const ask = async () => {
          const call_ = { method: 'POST', path, body: '{}' };
          const attest = (await phones[place]?.attest(call_, freshNonce())) ?? '';
          const token = tokens[place] ?? '';
          return call('POST', path, { token, raw: '{}', headers: { attest } });
        };
        // Repeats an unanswered call with another nonce.
        for (;;) {
          const answer = await ask();
          if (answer.status !== 503) return answer;
        }
      });
      const outcomes = answers.map(told);
      expectFates(outcomes, { 200: 1 }, ['409 already_paired', '409 invalid_state']);
      const winner = phones[answers.findIndex(({ status }) => status === 200)];
      const found = 'SELECT status, device_id FROM trust_checks WHERE link_session_id = $1';
      expect(await rowOf(found, [id])).toEqual({
        status: 'paired',
        device_id: winner?.enrolled?.deviceId,
      });
      expect(await countEvents('trust_check.paired', id)).toBe(1);
      return outcomes;
    };
  },
};

const consent: Race = {
  name: 'consent',
  rule: 'consent is given or refused, once',
  statements: ['trust_checks.write_step', 'links.settle_lease'],
  roundsMax: 60,
  prepare: async () => async (callers) => {
    const link = await newLink({ single_use: true });
    const session = await beginSession(link);
    await session.lead('open');
    await session.lead('pair');
    const answers = await atOnce(callers, (place) =>
      untilAnswered('POST', at(session.id, 'consent'), {
        token: session.token,
        body: { accepted: place % 2 === 0, tos_version: '1', claims: [] },
      }),
    );
    const outcomes = answers.map(told);
    expectFates(outcomes, {}, ['200', '409 invalid_state']);
    expect(outcomes).toContain('200');
    const row = await rowOf<{ status: string; consent: { accepted: boolean }; link: string }>(
      `SELECT t.status, t.consent, l.status AS link FROM trust_checks t JOIN links l
       USING (link_uuid) WHERE link_session_id = $1`,
      [session.id],
    );
    const { accepted } = row.consent;
    expect([row.status, row.link]).toEqual(
      accepted ? ['collecting', 'reserved'] : ['declined', 'consumed'],
    );
    const told200 = answers.flatMap(({ status }, place) => (status === 200 ? [place % 2] : []));
    expect([...new Set(told200)]).toEqual([accepted ? 0 : 1]);
    const events = ['trust_check.consented', 'trust_check.declined'].map((type) =>
      countEvents(type, session.id),
    );
    expect(await Promise.all(events)).toEqual(accepted ? [1, 0] : [0, 1]);
    return outcomes;
  },
};

const codeSent: Race = {
  name: 'code-sent',
  rule: 'a session has one code sent, and the next not before its time',
  statements: ['phone_codes.insert', 'phone_codes.current', 'trust_checks.lock', 'outbox.insert'],
  roundsMax: 60,
  prepare: async () => async (callers) => {
    const session = await collecting(await newLink());
    const body = { phone_number: newNumber() };
    const outcomes = (
      await atOnce(callers, (place) =>
        session.step('phone/code', place % 5 === 4 ? { phone_number: newNumber() } : body),
      )
    ).map(told);
    // A caller may request twenty codes per hour.
    expectFates(outcomes, { 202: 1 }, ['429 resend_too_soon', '429 rate_limited']);
    const codes = 'SELECT sends, guesses FROM phone_codes WHERE link_session_id = $1';
    expect(await countRows(codes, [session.id])).toBe(1);
    expect(await rowOf(codes, [session.id])).toEqual({ sends: 1, guesses: 0 });
    const sent = `SELECT 1 FROM outbox_messages WHERE idempotency_key LIKE 'sms-code/' || $1 || '/%'`;
    expect(await countRows(sent, [session.id])).toBe(1);
    return outcomes;
  },
};

const proofSubmitted: Race = {
  name: 'proof-submitted',
  rule: 'a proof passes once, and the check with it, whoever hands in the right code how often',
  statements: [
    'proofs.submit',
    'proofs.lock_submission',
    'trust_checks.write_step',
    'affidavits.add',
  ],
  roundsMax: 40,
  prepare: async () => async (callers) => {
    const session = await collecting(await newLink({ single_use: true }));
    const phone_number = newNumber();
    await session.lead('phone/code', { phone_number });
    const code = await codeFor(phone_number);
    const answers = await atOnce(callers, () =>
      untilAnswered('POST', at(session.id, 'proofs/phone'), {
        token: session.token,
        body: { code },
        headers: { 'idempotency-key': newName('proof') },
      }),
    );
    const outcomes = answers.map(told);
    expectFates(outcomes, { 200: 1, '409 invalid_state': callers - 1 });
    const { rows } = await rowsOf(session.id);
    expect(rows).toEqual({ status: 'passed', attempt: '1', link: 'consumed', affidavits: 1 });
    expect(await countEvents('trust_check.passed', session.id)).toBe(1);
    return outcomes;
  },
};

async function rowsOf(id: string): Promise<{ rows: unknown }> {
  const rows = await rowOf(
    `SELECT t.status, t.proofs->0->>'attempt' AS attempt, l.status AS link,
       (SELECT count(*)::int FROM affidavits a WHERE a.link_session_id = $1) AS affidavits
     FROM trust_checks t JOIN links l USING (link_uuid) WHERE t.link_session_id = $1`,
    [id],
  );
  return { rows };
}

const guesses: Race = {
  name: 'proof-guesses',
  rule: 'no more guesses are judged than a proof has attempts',
  statements: ['phone_codes.guess', 'phone_codes.current', 'trust_checks.write_step'],
  roundsMax: 40,
  prepare: async () => async (callers) => {
    const session = await collecting(await newLink({ max_attempts: 3 }));
    const phone_number = newNumber();
    await session.lead('phone/code', { phone_number });
    const code = (await codeFor(phone_number)) === '000000' ? '000001' : '000000';
    const answers = await atOnce(callers, () =>
      untilAnswered('POST', at(session.id, 'proofs/phone'), {
        token: session.token,
        body: { code },
        headers: { 'idempotency-key': newName('guess') },
      }),
    );
    const outcomes = answers.map(told);
    expectFates(outcomes, {}, ['200', '409 invalid_state']);
    const { guesses: counted } = await rowOf<{ guesses: number }>(
      'SELECT guesses FROM phone_codes WHERE link_session_id = $1',
      [session.id],
    );
    expect(counted).toBe(Math.min(callers, 3));
    expect(outcomes.filter((one) => one === '200').length).toBeLessThanOrEqual(counted);
    return outcomes;
  },
};

const uploadsMax: Race = {
  name: 'uploads-max',
  rule: 'a session takes forty files, and of those it refuses each is noted, to be swept',
  statements: ['evidence.insert', 'trust_checks.lock'],
  roundsMax: 60,
  prepare: async () => async (callers) => {
    const session = await collecting(await newLink());
    const put = (name: string) =>
      call('PUT', at(session.id, `evidence/${name}`), {
        token: session.token,
        raw: randomBytes(64),
        headers: { 'content-type': 'application/octet-stream' },
      });
    // All but a few of the forty uploads exist before the race.
    const there = Math.max(0, 40 - Math.ceil(callers / 2));
    for (let place = 0; place < there; place += 1) await put(`before-${place}`);
    const outcomes = (await atOnce(callers, (place) => put(`raced-${place}`))).map(told);
    const taken = 40 - there;
    expectFates(outcomes, { 200: taken, '409 evidence_limit': callers - taken });
    const keys = 'SELECT 1 FROM evidence WHERE link_session_id = $1';
    expect(await countRows(keys, [session.id])).toBe(40);
    const notes = 'SELECT 1 FROM evidence_uploads WHERE object_key LIKE $1';
    const noted = await countRows(notes, [`evidence/${session.id}/%`]);
    expect(await filesOf(session.id)).toBe(40 + noted);
    return outcomes;
  },
};

const sameUpload: Race = {
  name: 'upload-repeated',
  rule: 'the same bytes under the same name are one file, which stays',
  statements: ['evidence.insert'],
  roundsMax: 100,
  prepare: async () => async (callers) => {
    const session = await collecting(await newLink());
    const raw = randomBytes(64);
    const headers = { 'content-type': 'application/octet-stream' };
    const path = at(session.id, 'evidence/front.jpg');
    const answers = await atOnce(callers, () =>
      call('PUT', path, { token: session.token, raw, headers }),
    );
    const outcomes = answers.map(told);
    expectFates(outcomes, { 200: callers });
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    const kept = 'SELECT 1 FROM evidence WHERE link_session_id = $1';
    expect(await countRows(kept, [session.id])).toBe(1);
    expect(await filesOf(session.id)).toBe(1);
    return outcomes;
  },
};

/** Returns the number of stored files of a session. */
async function filesOf(id: string): Promise<number> {
  const directory = join(ownPlatform().dataDir, 'objects');
  const names = await readdir(directory, { recursive: true, withFileTypes: true });
  return names.filter((entry) => entry.isFile() && entry.parentPath.includes(id)).length;
}

export const checkRaces: readonly Race[] = [
  secondDevice,
  consent,
  codeSent,
  proofSubmitted,
  guesses,
  uploadsMax,
  sameUpload,
];
