import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { takeStep } from '../../../activities/trust-checks/take-step.ts';
import { trustCheckStream } from '../../../db/queries/events.ts';
import { findTrustCheck } from '../../../db/queries/trust-checks.ts';
import type { Judgement } from '../../../workflows/trust-check/session.ts';
import type { TrustCheckStep } from '../../../workflows/trust-check/steps.ts';
import { watched } from '../../support/platform/watched.ts';
import { atOnce } from '../../support/races/race.ts';
import { closeStage, newSession, stage, staged, type Stage } from '../../support/races/stage.ts';

let on: Stage;
beforeAll(async () => {
  on = await stage();
});
afterAll(closeStage);

const open = { kind: 'open' } as const;
const pairing = (device_id: string | null) =>
  ({ kind: 'pair', device_id, poly_user_id: null }) as const;
const consent = { kind: 'consent', accepted: true, tos_version: '1', claims: [] } as const;
const cancel = { kind: 'end', move: 'cancel', reason_code: 'user_closed' } as const;
const judged = (outcome: Judgement['outcome']): TrustCheckStep => ({
  kind: 'settle',
  proof: 'phone',
  submission_id: `sub_${outcome}`,
  judgement: {
    outcome,
    reason_code: outcome === 'rejected' ? 'code_wrong' : null,
    retryable: true,
    provider: null,
    evidence_hash: null,
  },
});
const minute = 60_000;
const timers = { unopenedMs: 10 * minute, idleMs: 10 * minute, hardMs: 60 * minute };
const wait = (seconds: number) =>
  ({ kind: 'skip_time', seconds, timers, now_ms: Date.now() }) as const;

/** Creates a session with some steps taken, and returns functions to take more. */
async function session(...steps: readonly TrustCheckStep[]) {
  const { link_session_id: id } = await newSession(on);
  const take = (step_id: string, step: TrustCheckStep, deps: Partial<Stage> = {}) =>
    takeStep({ ...on, ...deps }, { link_session_id: id, step_id, step });
  for (const [place, step] of steps.entries()) {
    expect((await take(`before/${place}`, step)).refusal).toBeUndefined();
  }
  /** Returns everything that a step may write. */
  const stored = async () => ({
    row: await staged(on, 'SELECT * FROM trust_checks WHERE link_session_id = $1', [id]),
    events: (
      await staged(on, 'SELECT seq, type FROM events WHERE stream = $1 ORDER BY seq', [
        trustCheckStream(id),
      ])
    ).map(({ seq, type }) => `${String(seq)} ${String(type)}`),
    affidavits: await staged(on, 'SELECT status FROM affidavits WHERE link_session_id = $1', [id]),
  });
  return { id, take, stored };
}

describe('a repeated step', () => {
  it('returns the same answer and writes nothing', async () => {
    const { take, stored } = await session(open);
    const first = await take('pair/1', pairing(null));
    expect(first.snapshot).toMatchObject({ status: 'paired', version: 2 });
    const once = await stored();
    expect(await take('pair/1', pairing(null))).toEqual(first);
    expect(await stored()).toEqual(once);
    expect(once.events).toEqual(['1 trust_check.opened', '2 trust_check.paired']);
  });

  it('returns the current state when the step is no longer legal', async () => {
    const { take } = await session(open);
    await take('pair/1', pairing('dev_1'));
    const { snapshot } = await take('end/1', cancel);
    expect(await take('pair/1', pairing('dev_1'))).toEqual({ snapshot });
  });

  it('skips time once per step id', async () => {
    const { take } = await session(open);
    const first = await take('skip/1', wait(60));
    expect(await take('skip/1', wait(60))).toEqual(first);
    const { snapshot } = await take('skip/2', wait(60));
    expect(first.snapshot.active_ms - snapshot.active_ms).toBe(minute);
  });
});

describe('concurrent steps', () => {
  it('with one id are one step', async () => {
    const { take, stored } = await session();
    const answers = await atOnce(10, () => take('open/1', open));
    expect(new Set(answers.map(({ snapshot }) => JSON.stringify(snapshot))).size).toBe(1);
    expect((await stored()).events).toEqual(['1 trust_check.opened']);
  });

  it('are taken one after another, each in the state after the previous one', async () => {
    const { take, stored } = await session(open);
    const answers = await atOnce(10, (place) => take(`pair/${place}`, pairing(`dev_${place}`)));
    const codes = answers.map(({ refusal }) => refusal?.code ?? 'taken').sort();
    expect(codes).toEqual([...Array.from({ length: 9 }, () => 'already_paired'), 'taken']);
    expect((await stored()).events).toHaveLength(2);
  });
});

describe('a refused step', () => {
  it.each<[string, TrustCheckStep[], TrustCheckStep, string]>([
    ['a second device', [open, pairing('dev_1')], pairing('dev_2'), 'already_paired'],
    ['a proof before consent', [open, pairing(null)], judged('passed'), 'consent_required'],
    [
      'a retry of a running check',
      [open, pairing(null), consent],
      { kind: 'retry' },
      'invalid_state',
    ],
    ['a cancellation after the end', [open, cancel], cancel, 'invalid_state'],
    [
      'a review of a check that is not in review',
      [open],
      { kind: 'review', decision: 'approve' },
      'invalid_state',
    ],
    ['time skipped after the end', [open, cancel], wait(1), 'invalid_state'],
  ])('writes nothing: %s', async (_, before, step, code) => {
    const { take, stored } = await session(...before);
    const unchanged = await stored();
    expect(await take('refused', step)).toMatchObject({
      refusal: { code },
      snapshot: { version: before.length },
    });
    expect(await stored()).toEqual(unchanged);
  });
});

describe('a step', () => {
  it('is taken once by its repeat after a crash at any statement', async () => {
    const before = [open, pairing(null), consent, judged('passed')] as const;
    const pass = { kind: 'decide', move: 'pass', reason_code: null } as const;
    const steps: string[] = [];
    const seen = watched(on.db, 'sql', (step) => steps.push(step));
    await (await session(...before)).take('decide', pass, { db: seen });
    expect(steps).toContain('sql COMMIT done');
    for (const dieAt of steps.keys()) {
      const { take, stored } = await session(...before);
      let count = 0;
      const db = watched(on.db, 'sql', () => {
        if (count++ === dieAt) throw new Error('the process died');
      });
      await take('decide', pass, { db }).catch(() => undefined);
      const { snapshot } = await take('decide', pass);
      expect([steps[dieAt], snapshot.status, snapshot.version]).toEqual([
        steps[dieAt],
        'passed',
        6,
      ]);
      const { events, affidavits } = await stored();
      expect([steps[dieAt], events.slice(-3), affidavits]).toEqual([
        steps[dieAt],
        ['4 proof.updated', '5 trust_check.processing', '6 trust_check.passed'],
        [{ status: 'pending' }],
      ]);
    }
  });

  it('is never earlier than the previous step, by any clock', async () => {
    const { id, take } = await session(open);
    const slow = () => new Date(Date.now() - minute);
    await take('pair/1', pairing(null), { clock: slow });
    const { log } = (await findTrustCheck(on.db, id)) ?? expect.fail('no check');
    expect(log.map(({ at }) => at)).toEqual([log[0]?.at, log[0]?.at]);
  });

  it('ends the check after its deadline, and not before', async () => {
    const { take } = await session(open);
    const due = (now_ms: number) => ({ kind: 'end_if_due', timers, now_ms }) as const;
    const early = await take('deadline/1', due(Date.now()));
    expect(early.snapshot.status).toBe('opened');
    // The clock of this process is behind: the workflow waited by its own clock.
    const { snapshot } = await take('deadline/1', due(Date.now() + timers.idleMs));
    expect(snapshot).toMatchObject({ status: 'abandoned', reason_code: 'idle_timeout' });
  });
});
