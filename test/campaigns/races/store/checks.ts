import { expect } from 'vitest';
import { createOutbox } from '../../../../activities/delivery/outbox.ts';
import { smsLimitsOf } from '../../../../activities/delivery/sms/limits.ts';
import { createPhoneJudge } from '../../../../activities/proofs/phone/proof.ts';
import { createMetrics } from '../../../../api/metrics.ts';
import { countMessage } from '../../../../api/trust-checks/code/sms-limits.ts';
import { lockedTransaction, transaction, type Tx } from '../../../../db/client.ts';
import {
  isUsedByOther,
  lockDocument,
  writeOutcome,
} from '../../../../db/queries/check-outcomes.ts';
import { spendJoinNonce } from '../../../../db/queries/join-sessions.ts';
import { addPhoneCode, addSubmission } from '../../../../db/queries/proofs.ts';
import { writeCancelReason } from '../../../../db/queries/trust-checks.ts';
import { bindPerson, writeReturnTo } from '../../../../db/queries/waiting-checks.ts';
import { unmatched } from '../../../support/checks/outcome.ts';
import { newNumber } from '../../../support/http/client.ts';
import { platformKeys } from '../../../support/keys/bundles.ts';
import { productionSettings } from '../../../support/platform/second-api.ts';
import { atOnce, expectFates, fate, type Race } from '../../../support/races/race.ts';
import { newSession, stage, staged } from '../../../support/races/stage.ts';
import { challengeRaces } from './challenges.ts';
import { winners } from './once.ts';

const guesses: Race = {
  name: 'code-guesses',
  rule: 'five guesses meet a code; the right one comes too late after them',
  statements: ['phone_codes.guess', 'phone_codes.current'],
  async prepare() {
    const on = await stage();
    const judge = createPhoneJudge({ sealer: on.sealer, keys: platformKeys() });
    return async (callers) => {
      const session = await newSession(on, { status: 'collecting' });
      const now = new Date();
      const code = {
        link_session_id: session.link_session_id,
        series: 1,
        secret_version: 1,
        number_sealed: Buffer.alloc(1),
        number_blind: Buffer.alloc(32),
        sends: 1,
        sent_at: now,
        expires_at: new Date(+now + 600_000),
        guesses: 0,
        send_id: on.ids.make('send'),
      };
      await transaction(on.db, (tx) => addPhoneCode(tx, code));
      const outcomes = await atOnce(callers, () =>
        transaction(on.db, async (tx) => {
          const input = { code: 'wrong!' };
          const given = { session, input, files: new Map(), now, handedInAt: now };
          const judged = await judge.judge({ ...given, tx });
          return String(judged.reason_code);
        }),
      );
      const met = Math.min(5, callers);
      expectFates(outcomes, { code_wrong: met, attempts_exhausted: callers - met });
      const counted = 'SELECT guesses FROM phone_codes WHERE link_session_id = $1';
      expect(await staged(on, counted, [session.link_session_id])).toEqual([{ guesses: met }]);
      return outcomes;
    };
  },
};

const messages: Race = {
  name: 'messages-counted',
  rule: 'a number gets no more messages than it may, and what is refused is counted nowhere',
  statements: [],
  async prepare() {
    const on = await stage();
    const most = 3;
    const wide = {
      perRangeHourly: 1e6,
      perNetworkHourly: 1e6,
      perAccountHourly: 1e6,
      perAccountDaily: 1e6,
      daily: 1e6,
    };
    const telemetry = { metrics: createMetrics() };
    const limits = smsLimitsOf({ PROFILE: 'production', SMS_PER_NUMBER_HOURLY_MAX: most });
    const settings = {
      ...productionSettings(),
      smsLimits: { ...limits, ...wide },
    };
    return async (callers) => {
      const message = { to: newNumber(), accountId: on.own.account_id, address: '192.0.2.1' };
      const send = () =>
        transaction(on.db, async (tx) => {
          await countMessage(tx, { sealer: on.sealer, settings, telemetry }, message);
          return true;
        });
      const outcomes = await atOnce(callers, () => fate(send()));
      const won = Math.min(most, callers);
      expectFates(outcomes, { won, rate_limited: callers - won });
      const number = on.sealer.blind('phone-number', message.to).toString('base64url');
      const counted = 'SELECT points FROM rate_limits WHERE key = $1';
      const [row] = await staged(on, counted, [`sms-number:${number}`]);
      expect(row).toEqual({ points: won });
      return outcomes;
    };
  },
};

const first: Race = {
  name: 'first-word',
  rule: 'where a session leads on, why it was canceled, what was handed in: the first word stands',
  statements: ['trust_checks.set_return_to', 'trust_checks.set_cancel_reason', 'proofs.submit'],
  async prepare() {
    const on = await stage();
    return async (callers) => {
      const { link_session_id: id } = await newSession(on, { status: 'canceled' });
      const words = () =>
        staged(
          on,
          `SELECT return_to, cancel_reason_sealed AS reason,
             (SELECT array_agg(input_sealed) FROM proof_submissions s
              WHERE s.link_session_id = t.link_session_id) AS handed_in
           FROM trust_checks t WHERE link_session_id = $1`,
          [id],
        );
      const submission = { id: on.ids.make('sub'), sessionId: id, proof: 'phone', now: new Date() };
      const seen = await atOnce(callers, async (place) => {
        await writeReturnTo(on.db, id, `https://example.test/${place}`);
        await writeCancelReason(on.db, id, Buffer.from(`reason ${place}`));
        await addSubmission(on.db, { ...submission, inputSealed: Buffer.from(`input ${place}`) });
        return JSON.stringify(await words());
      });
      expect(new Set(seen).size).toBe(1);
      expect(seen[0]).toContain('https://example.test/');
      return seen.map(() => 'the same');
    };
  },
};

const outbox: Race = {
  name: 'message-kept',
  rule: 'a message is kept once for its key',
  statements: ['outbox.insert'],
  async prepare() {
    const on = await stage();
    return async (callers) => {
      const idempotencyKey = on.ids.make('key');
      const box = createOutbox(on.db, on.ids, on.clock);
      const made = await atOnce(callers, (place) =>
        box.add({
          channel: 'sms',
          recipient: newNumber(),
          subject: null,
          text: `by ${place}`,
          html: null,
          idempotencyKey,
        }),
      );
      expect(new Set(made.map(({ messageId }) => messageId)).size).toBe(1);
      return made.map(() => 'the same');
    };
  },
};

const person = winners(
  {
    name: 'check-of-a-person',
    rule: 'a check that waits becomes one person’s',
    statements: ['trust_checks.bind_person'],
  },
  async (on) => {
    const { link_session_id: id } = await newSession(on);
    const { poly_user_id: one } = on.own.member;
    const { poly_user_id: other } = on.own.admin;
    return { act: (place) => bindPerson(on.db, id, place % 2 === 0 ? one : other) };
  },
);

const joinNonce = winners(
  {
    name: 'join-nonce',
    rule: 'a nonce of a join session is used once',
    statements: ['join_sessions.spend_nonce'],
  },
  async (on) => {
    const { link_session_id: id } = await newSession(on);
    const nonce = on.ids.bytes(32);
    await on.db.query(
      `INSERT INTO join_sessions (join_session_id, link_uuid, account_id, participant_id, status,
         platform, client, browser_hash, nonce_hash, link_session_id, created_at, expires_at)
       SELECT $2, link_uuid, account_id, $3, 'created', 'sandbox', 'web', $4, $4, $1, now(), now()
       FROM trust_checks WHERE link_session_id = $1`,
      [id, on.ids.make('js'), on.ids.make('pt'), nonce],
    );
    return { act: () => spendJoinNonce(on.db, id, nonce) };
  },
);

const document: Race = {
  name: 'document-shown',
  rule: 'of all who show one document at the same time, one is first',
  statements: [
    'trust_checks.lock_document',
    'trust_checks.others_of_document',
    'trust_checks.set_outcome',
  ],
  async prepare() {
    const on = await stage();
    return async (callers) => {
      const blind = on.ids.bytes(32);
      const sessions = await Promise.all(
        Array.from({ length: callers }, () => newSession(on, { status: 'processing' })),
      );
      const show = (session: (typeof sessions)[number] | undefined) => {
        if (!session) throw new Error('there is a session for each');
        const shown = { session, blind, against: [blind], lock: blind, polyUserId: null };
        const lock = (tx: Tx) => lockDocument(tx, shown);
        return lockedTransaction(on.db, lock, async (tx) => {
          if (await isUsedByOther(tx, shown)) return false;
          await writeOutcome(tx, session.link_session_id, {
            ...unmatched,
            documentBlind: blind,
          });
          return true;
        });
      };
      const outcomes = await atOnce(callers, (place) => fate(show(sessions[place])));
      expectFates(outcomes, { won: 1, lost: callers - 1 });
      const kept = 'SELECT count(*)::int AS count FROM trust_checks WHERE document_blind = $1';
      expect(await staged(on, kept, [blind])).toEqual([{ count: 1 }]);
      return outcomes;
    };
  },
};

export const checkRaces: readonly Race[] = [
  document,
  guesses,
  messages,
  ...challengeRaces,
  first,
  outbox,
  person,
  joinNonce,
];
