import { expect } from 'vitest';
import { takeStep } from '../../../../activities/trust-checks/take-step.ts';
import { joinSession } from '../../../../api/trust-checks/begin/join-session.ts';
import { holdUseOf } from '../../../../api/trust-checks/begin/uses.ts';
import { transaction } from '../../../../db/client.ts';
import { appendEvents } from '../../../../db/queries/events.ts';
import { insertJoinSession } from '../../../../db/queries/join-sessions.ts';
import { linkEvent, reserveLink } from '../../../../db/queries/link-leases.ts';
import { expireLink } from '../../../../db/queries/links.ts';
import { addReview } from '../../../../db/queries/reviews.ts';
import type { TrustCheckStep } from '../../../../workflows/trust-check/steps.ts';
import { atOnce, expectFates, fate, type Race } from '../../../support/races/race.ts';
import { stage, staged, stagedLink, stagedSession } from '../../../support/races/stage.ts';

const uses: Race = {
  name: 'uses-held',
  rule: 'no more uses of a link are held than it has, by whichever sessions',
  statements: ['trust_checks.hold_use', 'links.lock', 'trust_checks.lock'],
  async prepare() {
    const on = await stage();
    return async (callers) => {
      const max_uses = 3;
      const link = await stagedLink(on, { max_uses });
      const sessions = await atOnce(callers, () => stagedSession(on, link));
      // So late that no begin holds a use any more.
      const late = new Date(Date.now() + 3600_000);
      const outcomes = await Promise.all(
        sessions.map((session) => fate(holdUseOf(on, session, late).then(() => true))),
      );
      const won = Math.min(max_uses, callers);
      expectFates(outcomes, { won, link_not_active: callers - won });
      const held = 'SELECT 1 FROM trust_checks WHERE link_uuid = $1 AND holds_use';
      expect(await staged(on, held, [link.link_uuid])).toHaveLength(won);
      return outcomes;
    };
  },
};

const lease: Race = {
  name: 'lease-taken',
  rule: 'one session holds a single-use link',
  statements: ['links.reserve'],
  async prepare() {
    const on = await stage();
    return async (callers) => {
      const { link_uuid } = await stagedLink(on, { single_use: true });
      const ids = Array.from({ length: callers }, () => on.ids.make('tc'));
      const outcomes = await Promise.all(
        ids.map((id) =>
          fate(transaction(on.db, (tx) => reserveLink(tx, link_uuid, id, new Date()))),
        ),
      );
      expectFates(outcomes, { won: 1, lost: callers - 1 });
      const [row] = await staged(
        on,
        'SELECT reserved_by, version FROM links WHERE link_uuid = $1',
        [link_uuid],
      );
      expect(row).toEqual({ reserved_by: ids[outcomes.indexOf('won')], version: 2 });
      return outcomes;
    };
  },
};

const stepRace: Race = {
  name: 'step-taken',
  rule: 'a step is taken once: its events, its review, what its link loses or gets',
  statements: [
    'trust_checks.write_step',
    'trust_checks.lock',
    'links.settle_lease',
    'links.count_use',
    'reviews.decide',
  ],
  async prepare() {
    const on = await stage();
    return async (callers) => {
      const link = await stagedLink(on, { single_use: true });
      const { link_session_id: id } = await stagedSession(on, link, { status: 'in_review' });
      await transaction(on.db, (tx) => reserveLink(tx, link.link_uuid, id, new Date()));
      const reviewId = on.ids.make('rev');
      await addReview(on.db, {
        reviewId,
        linkSessionId: id,
        decision: 'retry',
        reviewer: 'tk_live_000000000000',
        noteSealed: Buffer.alloc(1),
        now: new Date(),
      });
      const take = (step_id: string, step: TrustCheckStep) =>
        takeStep(on, { link_session_id: id, step_id, step });
      const askAgain = { kind: 'review', decision: 'retry', review_id: reviewId } as const;
      const cancel = { kind: 'end', move: 'cancel', reason_code: 'user_closed' } as const;
      // Repeats one step, then sends competing steps of several callers.
      await atOnce(callers, () => take('reviewed', askAgain));
      const answers = await atOnce(callers, (place) => take(`canceled/${place % 3}`, cancel));
      const outcomes = answers.map(({ snapshot, refusal }) => refusal?.code ?? snapshot.status);
      expect(outcomes).toContain('canceled');
      const told = `SELECT type FROM events WHERE object_id = ANY ($1) ORDER BY account_seq`;
      const types = (await staged(on, told, [[id, link.link_uuid]])).map(({ type }) => type);
      expect(types.filter((type) => String(type).startsWith('trust_check.'))).toEqual([
        'trust_check.requires_retry',
        'trust_check.canceled',
      ]);
      expect(types.filter((type) => type === 'link.updated')).toHaveLength(1);
      const [row] = await staged(
        on,
        `SELECT l.status, l.reserved_by, l.use_count, t.version, r.decided_at IS NOT NULL AS counts
         FROM links l JOIN trust_checks t USING (link_uuid) JOIN reviews r USING (link_session_id)
         WHERE t.link_session_id = $1`,
        [id],
      );
      expect(row).toEqual({
        status: 'active',
        reserved_by: null,
        use_count: 0,
        version: 2,
        counts: true,
      });
      return outcomes;
    };
  },
};

const expiry: Race = {
  name: 'link-expired',
  rule: 'the end of a link is told once, however many sweep',
  statements: ['links.expire'],
  async prepare() {
    const on = await stage();
    return async (callers) => {
      const soon = new Date(Date.now() + 60_000);
      const { link_uuid } = await stagedLink(on, { expires_at: soon });
      const late = new Date(+soon + 1);
      const outcomes = await atOnce(callers, () =>
        fate(
          transaction(on.db, async (tx) => {
            const link = await expireLink(tx, link_uuid, late);
            if (link) {
              await appendEvents(tx, { ids: on.ids, now: late }, [linkEvent(link, 'link.expired')]);
            }
            return link;
          }),
        ),
      );
      expectFates(outcomes, { won: 1, lost: callers - 1 });
      const told = "SELECT 1 FROM events WHERE object_id = $1 AND type = 'link.expired'";
      expect(await staged(on, told, [link_uuid])).toHaveLength(1);
      return outcomes;
    };
  },
};

const joining: Race = {
  name: 'join-session-claimed',
  rule: 'a check lets in one, and one is let in by one',
  statements: ['join_sessions.bind', 'trust_checks.lock'],
  async prepare() {
    const on = await stage();
    return async (callers) => {
      const link = await stagedLink(on);
      const now = new Date();
      const join = async () =>
        insertJoinSession(on.db, {
          join_session_id: on.ids.make('js'),
          link_uuid: link.link_uuid,
          account_id: link.account_id,
          participant_id: on.ids.make('pt'),
          display_name_sealed: null,
          platform: 'sandbox',
          client: 'web',
          browser_hash: on.ids.bytes(32),
          nonce_hash: null,
          created_at: now,
          expires_at: new Date(+now + 600_000),
        });
      const [first, second] = [await stagedSession(on, link), await stagedSession(on, link)];
      const many = await atOnce(callers, join);
      // Many calls for one check, and one caller for two: place 0 races for both.
      const outcomes = await Promise.all([
        ...many.map((one) => fate(joinSession(on, first, one, now).then(() => true))),
        ...many.slice(0, 1).map((one) => fate(joinSession(on, second, one, now).then(() => true))),
      ]);
      const bound = await staged(
        on,
        `SELECT link_session_id, count(*)::int FROM join_sessions
         WHERE link_uuid = $1 AND link_session_id IS NOT NULL GROUP BY 1`,
        [link.link_uuid],
      );
      expect(bound.every(({ count }) => count === 1)).toBe(true);
      const won = outcomes.filter((one) => one === 'won').length;
      expect(won).toBe(bound.length);
      const ofFirst = bound.filter((row) => row['link_session_id'] === first.link_session_id);
      expect(ofFirst).toHaveLength(callers > 1 ? 1 : ofFirst.length);
      expectFates(outcomes, {}, ['won', 'invalid_state']);
      return outcomes;
    };
  },
};

export const linkRaces: readonly Race[] = [uses, lease, stepRace, expiry, joining];
