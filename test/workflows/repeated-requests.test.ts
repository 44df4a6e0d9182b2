import { createHash } from 'node:crypto';
import { afterAll, describe, expect, it } from 'vitest';
import { giveConsent } from '../../api/running-checks/give-consent.ts';
import { createTemporal } from '../../api/temporal.ts';
import { derivedId, randomIds } from '../../db/ids.ts';
import { findTrustCheck } from '../../db/queries/trust-checks.ts';
import { trustCheckWorkflowId } from '../../workflows/trust-check/messages.ts';
import { loseSteps } from '../support/checks/lost-steps.ts';
import {
  beginSession,
  codeFor,
  collecting,
  newLink,
  newNumber,
  type Answer,
  type Session,
} from '../support/http/client.ts';
import { openTestDb } from '../support/platform/harness.ts';
import { ownPlatform } from '../support/platform/own-platform.ts';
import { connectClient } from '../support/platform/temporal-client.ts';

/**
 * Under a burst of updates the workflow server loses the task that took a step. It then runs the
 * update of another request first, and the workflow ends before the lost one is sent again. The
 * request that took the step still gets its result.
 */
const db = openTestDb(ownPlatform().databaseUrl);
const client = await connectClient();
afterAll(async () => {
  await client.connection.close();
  await db.end();
});

const refused = [409, 'invalid_state'];
const told = ({ status, body }: Answer): unknown[] => [status, body['code'] ?? body['status']];
const key = { 'idempotency-key': 'one-and-the-same' };

/** Assigns a step of the session to the one refused request, as if that request had taken it. */
async function giveStep(
  { id }: Session,
  has: 'move' | 'submission_id',
  idOf: (seed: string) => string,
): Promise<void> {
  const { rows } = await db.query<{ seed: string }>(
    `SELECT seed FROM idempotency_keys WHERE link_session_id = $1 AND state = 'running'`,
    [id],
  );
  const [{ seed } = expect.fail('no request was refused'), ...others] = rows;
  expect(others).toEqual([]);
  const { rowCount } = await db.query(
    `UPDATE trust_checks SET log = (
       SELECT jsonb_agg(CASE WHEN step ? $2 AND coalesce(step->>'move', 'cancel') = 'cancel'
                        THEN step || jsonb_build_object('step_id', $3::text)
                        ELSE step END ORDER BY place)
       FROM jsonb_array_elements(log) WITH ORDINALITY AS steps (step, place))
     WHERE link_session_id = $1`,
    [id, has, idOf(seed)],
  );
  expect(rowCount).toBe(1);
}

describe('a recorded step that is requested again after its check ended', () => {
  it.each([
    ['of a check with a running workflow', false],
    ['of a check that may not be started', true],
  ])('is returned as a cancellation %s', async (_name, awaitsStart) => {
    const session = await collecting(await newLink());
    expect(told(await session.step('cancel', { reason: 'no time' }))).toEqual([200, 'canceled']);
    await db.query('UPDATE trust_checks SET awaits_start = $2 WHERE link_session_id = $1', [
      session.id,
      awaitsStart,
    ]);
    const again = () => session.step('cancel', {}, key);
    expect(told(await again())).toEqual(refused);
    await giveStep(session, 'move', (seed) => `cancel/${seed}`);
    expect(told(await again())).toEqual([200, 'canceled']);
    expect((await again()).headers.get('idempotent-replayed')).toBe('true');
    // The cancellation belongs to that request only.
    expect(told(await session.step('cancel', {}))).toEqual(refused);
  });

  it('is returned as a judged proof, although the end came after it', async () => {
    const session = await collecting(await newLink());
    const number = newNumber();
    await session.step('phone/code', { phone_number: number });
    const code = (await codeFor(number)) === '123456' ? '654321' : '123456';
    const hand = (headers = {}) => session.step('proofs/phone', { code }, headers);
    expect(told(await hand())).toEqual([200, 'requires_retry']);
    await session.step('cancel');
    expect(told(await hand(key))).toEqual(refused);
    await giveStep(session, 'submission_id', (seed) => derivedId('sub', seed));
    const judged = await hand(key);
    expect(judged.body).toMatchObject({ attempt: 1, reason_code: 'code_wrong' });
    expect(told(await hand())).toEqual(refused);
  });

  it('is returned as refused consent', async () => {
    const no = { accepted: false, tos_version: '1', claims: [] };
    const session = await beginSession(await newLink());
    await session.step('open');
    await session.step('pair');
    const before = (await findTrustCheck(db, session.id)) ?? expect.fail('no check');
    const digest = createHash('sha256').update(JSON.stringify([false, '1', []]));
    const step_id = `consent/${session.id}/${digest.digest('base64url')}`;
    await loseSteps(db, session, { kind: 'consent', ...no, step_id });
    expect(told(await session.step('cancel'))).toEqual(refused);
    const handle = client.workflow.getHandle(trustCheckWorkflowId(session.id));
    expect(await handle.result()).toMatchObject({ status: 'declined' });
    const temporal = createTemporal(client, 30_000);
    const deps = { db, temporal, ids: randomIds, clock: () => new Date() };
    // For a request that found the workflow running, and for one that finds it ended.
    expect(await giveConsent(deps, before, no)).toMatchObject({ status: 'declined' });
    expect(told(await session.step('consent', no))).toEqual([200, 'declined']);
    const yes = { ...no, accepted: true };
    const turned = giveConsent(deps, before, yes);
    await expect(turned).rejects.toMatchObject({ code: 'invalid_state' });
    expect(told(await session.step('consent', yes))).toEqual(refused);
  });
});
