import { createHash } from 'node:crypto';
import { firstOf, statement, type Db } from '../../db/client.ts';
import type { Ids } from '../../db/ids.ts';
import type { Sealer } from '../../db/sealing/sealed.ts';
import { Failure } from '../../workflows/failures.ts';
import type { AnyAnswer } from './contract.ts';
import { failureAnswers } from './problem/failure-answers.ts';
import { InvalidRequest } from './problem/problem.ts';

/** A key is kept for 24 hours. Another run takes over from a crashed one after 4 seconds. */
const retentionMs = 24 * 3600_000;
const lockedMs = 4_000;
/** How often a long run renews its lock. */
const renewalMs = 1_000;
const owner = 'idempotency';
/** Lock time of a refused run: another request may use the key at once. */
const refusedAt = new Date(0);

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
       SELECT id FROM idempotency_keys WHERE expires_at < :now AND id <> :id
       ORDER BY expires_at LIMIT 20 FOR UPDATE SKIP LOCKED)
   )
   INSERT INTO idempotency_keys (id, fingerprint, state, seed, locked_until, expires_at,
     link_session_id, run)
   VALUES (:id, :fingerprint, 'running', :seed, :locked_until, :expires_at, :linkSessionId, :ours)
   ON CONFLICT (id) DO UPDATE SET
     locked_until = :locked_until, run = :ours,
     fingerprint = :fingerprint,
     seed = CASE WHEN idempotency_keys.expires_at > :now
     AND idempotency_keys.fingerprint = :fingerprint
                 THEN idempotency_keys.seed ELSE :seed END,
     state = 'running', response_sealed = NULL, expires_at = :expires_at,
     link_session_id = :linkSessionId,
     is_redacted = idempotency_keys.is_redacted AND idempotency_keys.expires_at > :now
       AND idempotency_keys.fingerprint = :fingerprint
   WHERE idempotency_keys.expires_at <= :now
      OR (idempotency_keys.state = 'running' AND idempotency_keys.locked_until <= :now
          AND (idempotency_keys.fingerprint = :fingerprint
            OR idempotency_keys.locked_until = '${refusedAt.toISOString()}'))
   RETURNING fingerprint, state, seed, response_sealed, locked_until`,
);
const find = statement<KeyRow>(
  'idempotency.find',
  `SELECT fingerprint, state, seed, response_sealed, locked_until
   FROM idempotency_keys WHERE id = :id`,
);
const finish = statement(
  'idempotency.finish',
  `UPDATE idempotency_keys SET state = 'done', response_sealed = :response,
     link_session_id = coalesce(:linkSessionId, link_session_id)
   WHERE id = :id AND NOT is_redacted AND fingerprint = :fingerprint`,
);
/** Changes only the lock of the same run, because another run may have taken over. */
const lockUntil = statement(
  'idempotency.lock_until',
  `UPDATE idempotency_keys SET locked_until = :until
   WHERE id = :id AND state = 'running' AND run = :ours`,
);

export interface IdempotencyScope {
  /** Caller and account, or device, or address: the scope in which a key is unique. */
  readonly scope: readonly (string | number | null)[];
  readonly operation: string;
  readonly key: string;
  /** Digest of the target and the body of the request. */
  readonly fingerprint: Buffer;
  /** The trust-check session of the request, where it is known before the run. */
  readonly linkSessionId?: string;
}

/** The work that is done once. */
export interface Once {
  /**
   * Receives a seed that is stable over retries, so that a retry continues what a crashed run
   * began.
   */
  readonly run: (seed: string) => Promise<AnyAnswer>;
  /** The accounts that the run was authorized for. */
  readonly asked: ReadonlySet<number>;
  /** Authorizes the caller again; throws if they have lost access. */
  readonly authorize: (accountId: number) => unknown;
}

/** A stored response, with the accounts that its caller must still have access to for a replay. */
interface StoredAnswer {
  readonly answer: AnyAnswer;
  readonly accounts: readonly number[];
}

interface IdempotencyDeps {
  readonly db: Db;
  readonly sealer: Sealer;
  readonly ids: Ids;
  readonly clock: () => Date;
}

/** Returns the row id of a key. The database does not contain the key itself. */
export function idOfKey({ scope, operation, key }: Omit<IdempotencyScope, 'fingerprint'>): Buffer {
  return createHash('sha256')
    .update(JSON.stringify([...scope, operation, key]))
    .digest();
}

/**
 * Does the work once for a key. A repeat gets the first response with `Idempotent-Replayed: true`,
 * if its caller still has access to the accounts of that response. A response of 4xx is not stored:
 * its key is free for a corrected request.
 * @throws Failure `idempotency_mismatch` for another request with the same key,
 *   `idempotency_in_progress` while the first request runs
 */
export async function runOnce(
  deps: IdempotencyDeps,
  scope: IdempotencyScope,
  work: Once,
): Promise<AnyAnswer> {
  const id = idOfKey(scope);
  const context = `idempotency_keys|response|${id.toString('hex')}`;
  const now = deps.clock();
  const ours = deps.ids.make('run');
  const row = firstOf(
    await claim(deps.db, {
      id,
      fingerprint: scope.fingerprint,
      seed: deps.ids.make('seed'),
      locked_until: new Date(now.getTime() + lockedMs),
      expires_at: new Date(now.getTime() + retentionMs),
      now,
      linkSessionId: scope.linkSessionId ?? null,
      ours,
    }),
  );
  if (!row) return replay(deps, { id, context }, scope.fingerprint, work, now);
  const hold = (until: Date): Promise<unknown> => lockUntil(deps.db, { id, until, ours });
  let renewing: Promise<unknown> = Promise.resolve();
  const renewal = setInterval(() => {
    const until = new Date(deps.clock().getTime() + lockedMs);
    // The next renewal makes up for a failed one. If all fail, another process takes over.
    renewing = renewing.then(() => hold(until)).catch(() => undefined);
  }, renewalMs);
  try {
    const answer = await work.run(row.seed);
    clearInterval(renewal);
    const kept: StoredAnswer = { answer, accounts: [...work.asked] };
    const sealed = await deps.sealer.seal(owner, context, JSON.stringify(kept));
    const { fingerprint } = scope;
    await finish(deps.db, { id, response: sealed, linkSessionId: sessionIn(answer), fingerprint });
    return answer;
  } catch (error) {
    clearInterval(renewal);
    // No response was sent. The caller may retry at once with the same seed, or with a corrected
    // request after a refusal. If unlocking fails, the lock expires by itself, and the caller still
    // gets the first error.
    await renewing;
    await hold(isRefusal(error) ? refusedAt : now).catch(() => undefined);
    throw error;
  }
}

/**
 * Whether the request was at fault: a repeat would get the same error, and no work is in progress.
 */
const isRefusal = (error: unknown): boolean =>
  error instanceof InvalidRequest ||
  (error instanceof Failure && failureAnswers[error.code].status < 500);

/** Returns the session id in the body of a response; null if there is none. */
function sessionIn(answer: AnyAnswer): string | null {
  return Object('body' in answer ? answer.body : {}).link_session_id ?? null;
}

/** Authorizes before it reports on the key: 403 and 404 come before 409. */
async function replay(
  deps: IdempotencyDeps,
  { id, context }: { readonly id: Buffer; readonly context: string },
  fingerprint: Buffer,
  { authorize }: Once,
  now: Date,
): Promise<AnyAnswer> {
  const row = firstOf(await find(deps.db, { id }));
  const sealed = row?.state === 'done' ? row.response_sealed : null;
  const kept: StoredAnswer | null =
    sealed && JSON.parse((await deps.sealer.open(owner, context, sealed)).toString());
  for (const accountId of kept?.accounts ?? []) authorize(accountId);
  if (row && !row.fingerprint.equals(fingerprint)) throw new Failure('idempotency_mismatch');
  if (!row || !kept) {
    const waitMs = row ? row.locked_until.getTime() - now.getTime() : 1000;
    const retryAfterSeconds = Math.max(1, Math.ceil(waitMs / 1000));
    throw new Failure('idempotency_in_progress', { retryAfterSeconds });
  }
  const { answer } = kept;
  return { ...answer, headers: { ...answer.headers, 'Idempotent-Replayed': 'true' } };
}
