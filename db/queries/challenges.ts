import { createHash } from 'node:crypto';
import { statement, type Queryable } from '../client.ts';
import { build, prepare } from '../prepare.ts';
import { and, gt } from '../schema/drizzle.ts';
import { challenges } from '../schema/sessions.ts';

const { expires_at, hash, purpose } = challenges;

/** Purpose of a one-time value. A value is valid for one purpose only. */
export type ChallengePurpose = 'enroll';

const insert = statement(
  'challenges.insert',
  `WITH swept AS (
     DELETE FROM challenges WHERE hash IN (
       SELECT hash FROM challenges WHERE expires_at < :now
       ORDER BY expires_at LIMIT 20 FOR UPDATE SKIP LOCKED)
   )
   INSERT INTO challenges (hash, purpose, expires_at) VALUES (:hash, :purpose, :expiresAt)`,
);
const take = prepare('challenges.take', { hash, purpose, expires_at }, ({ by, equals }) =>
  build
    .delete(challenges)
    .where(and(equals.hash, equals.purpose, gt(expires_at, by.expires_at)))
    .returning({ hash }),
);
const open = statement(
  'challenges.open',
  'SELECT 1 FROM challenges WHERE hash = :hash AND purpose = :purpose AND expires_at > :now',
);
/**
 * Returns the hash under which a one-time value is stored, so that a reader of the table learns no
 * valid value.
 */
export function hashOfChallenge(challenge: string): Buffer {
  return createHash('sha256').update(challenge).digest();
}

/** Stores the hash of a one-time value, and deletes a few expired ones. */
export async function addChallenge(
  on: Queryable,
  row: { hash: Buffer; purpose: ChallengePurpose; expiresAt: Date; now: Date },
): Promise<void> {
  await insert(on, row);
}

/**
 * Consumes a one-time value. Returns true for exactly one of all callers, and only before it
 * expires.
 */
export async function takeChallenge(
  on: Queryable,
  hash: Buffer,
  purpose: ChallengePurpose,
  now: Date,
): Promise<boolean> {
  return (await take(on, { hash, purpose, expires_at: now })).length === 1;
}

/** Returns true if a one-time value can be consumed. Another caller may still consume it first. */
export async function isChallengeOpen(
  on: Queryable,
  hash: Buffer,
  purpose: ChallengePurpose,
  now: Date,
): Promise<boolean> {
  return (await open(on, { hash, purpose, now })).length === 1;
}
