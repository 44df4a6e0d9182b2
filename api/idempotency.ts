import { createHash } from 'node:crypto';
import { firstOf, statement, type Db } from '../db/client.ts';
import type { Ids } from '../db/ids.ts';
import type { Sealer } from '../db/sealed.ts';
import { Failure } from '../workflows/failures.ts';
import type { AnyAnswer } from './contract.ts';

/** A key is kept for 24 hours; a run that died is taken over after 4 seconds. */
const keptMs = 24 * 3600_000;
const lockedMs = 4_000;
/** A run that lasts renews its lock this often. */
const renewalMs = 1_000;
const owner = 'idempotency';

interface KeyRow {
  readonly fingerprint: Buffer;
  readonly state: 'running' | 'done';
  readonly seed: string;
  readonly response_sealed: Buffer | null;
  readonly locked_until: Date;
}

const claim = statement<KeyRow>(
  'idempotency.claim',
  `WITH swept AS (
     DELETE FROM idempotency_keys WHERE id IN (
       SELECT id FROM idempotency_keys WHERE expires_at < $6 AND id <> $1
       ORDER BY expires_at LIMIT 20 FOR UPDATE SKIP LOCKED)
   )
   INSERT INTO idempotency_keys (id, fingerprint, state, seed, locked_until, expires_at,
     link_session_id)
   VALUES ($1, $2, 'running', $3, $4, $5, $7)
   ON CONFLICT (id) DO UPDATE SET
     locked_until = $4,
     fingerprint = CASE WHEN idempotency_keys.expires_at <= $6 THEN $2
                        ELSE idempotency_keys.fingerprint END,
     seed = CASE WHEN idempotency_keys.expires_at <= $6 THEN $3 ELSE idempotency_keys.seed END,
     state = 'running', response_sealed = NULL, expires_at = $5, link_session_id = $7,
     is_redacted = idempotency_keys.is_redacted AND idempotency_keys.expires_at > $6
   WHERE idempotency_keys.expires_at <= $6
      OR (idempotency_keys.state = 'running' AND idempotency_keys.locked_until <= $6
          AND idempotency_keys.fingerprint = $2)
   RETURNING fingerprint, state, seed, response_sealed, locked_until`,
);
const find = statement<KeyRow>(
  'idempotency.find',
  `SELECT fingerprint, state, seed, response_sealed, locked_until
   FROM idempotency_keys WHERE id = $1`,
);
const finish = statement(
  'idempotency.finish',
  `UPDATE idempotency_keys SET state = 'done', response_sealed = $2,
     link_session_id = coalesce($3, link_session_id)
   WHERE id = $1 AND NOT is_redacted`,
);
const lockUntil = statement(
  'idempotency.lock_until',
  `UPDATE idempotency_keys SET locked_until = $2 WHERE id = $1 AND state = 'running'`,
);

export interface IdempotencyScope {
  /** Caller or address: two callers never share a key. */
  readonly scope: string;
  readonly operation: string;
  readonly key: string;
  /** What the key stands for: target and body. */
  readonly fingerprint: Buffer;
  /** The trust-check session it is about, where that is known before it runs. */
  readonly linkSessionId?: string;
}

interface IdempotencyDeps {
  readonly db: Db;
  readonly sealer: Sealer;
  readonly ids: Ids;
  readonly clock: () => Date;
}

/**
 * Runs `work` once for a key. A repeat gets the first answer with `Idempotent-Replayed: true`;
 * another request under the same key fails with `idempotency_mismatch`, one that comes while the
 * first still runs with `idempotency_in_progress`. `work` gets a seed that is stable over retries,
 * so that what a crashed run has begun is continued, not begun again.
 */
export async function runOnce(
  deps: IdempotencyDeps,
  scope: IdempotencyScope,
  work: (seed: string) => Promise<AnyAnswer>,
): Promise<AnyAnswer> {
  const id = createHash('sha256')
    .update(JSON.stringify([scope.scope, scope.operation, scope.key]))
    .digest();
  const context = `idempotency_keys|response|${id.toString('hex')}`;
  const now = deps.clock();
  const row = firstOf(
    await claim(deps.db, [
      id,
      scope.fingerprint,
      deps.ids.make('seed'),
      new Date(now.getTime() + lockedMs),
      new Date(now.getTime() + keptMs),
      now,
      scope.linkSessionId ?? null,
    ]),
  );
  if (!row) return replay(deps, id, context, scope.fingerprint, now);
  let renewing: Promise<unknown> = Promise.resolve();
  const renewal = setInterval(() => {
    const until = new Date(deps.clock().getTime() + lockedMs);
    // One that is missed is made up for by the next; past all of them another process takes over.
    renewing = lockUntil(deps.db, [id, until]).catch(() => undefined);
  }, renewalMs);
  try {
    const answer = await work(row.seed);
    clearInterval(renewal);
    const sealed = await deps.sealer.seal(owner, context, JSON.stringify(answer));
    await finish(deps.db, [id, sealed, sessionIn(answer)]);
    return answer;
  } catch (error) {
    clearInterval(renewal);
    // Nothing was answered: the caller may try again at once, under the same seed. When this fails
    // too the lock runs out by itself, and what went wrong first is what the caller must hear.
    await renewing;
    await lockUntil(deps.db, [id, now]).catch(() => undefined);
    throw error;
  }
}

/** The session an answer shows, if it does. */
function sessionIn(answer: AnyAnswer): string | null {
  return Object('body' in answer ? answer.body : {}).link_session_id ?? null;
}

async function replay(
  deps: IdempotencyDeps,
  id: Buffer,
  context: string,
  fingerprint: Buffer,
  now: Date,
): Promise<AnyAnswer> {
  const row = firstOf(await find(deps.db, [id]));
  if (row && !row.fingerprint.equals(fingerprint)) throw new Failure('idempotency_mismatch');
  if (!row || row.state === 'running' || !row.response_sealed) {
    const waitMs = row ? row.locked_until.getTime() - now.getTime() : 1000;
    const retryAfterSeconds = Math.max(1, Math.ceil(waitMs / 1000));
    throw new Failure('idempotency_in_progress', { retryAfterSeconds });
  }
  const stored = JSON.parse(
    (await deps.sealer.open(owner, context, row.response_sealed)).toString(),
  );
  return { ...stored, headers: { ...stored.headers, 'Idempotent-Replayed': 'true' } };
}
