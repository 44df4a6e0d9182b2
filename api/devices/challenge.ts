import { addChallenge, hashOfChallenge } from '../../db/queries/challenges.ts';
import type { Deps } from '../deps.ts';
import { handler } from '../http/contract.ts';
import { deviceContracts } from './contract.ts';

const challengeBytes = 32;
const lifeMs = 5 * 60_000;

export const challenge = handler(deviceContracts.challenge)(async (
  input,
  deps: Pick<Deps, 'db' | 'ids'>,
) => {
  const { now } = input.call;
  const value = deps.ids.bytes(challengeBytes).toString('base64url');
  const expiresAt = new Date(now.getTime() + lifeMs);
  const hash = hashOfChallenge(value);
  await addChallenge(deps.db, { hash, purpose: 'enroll', expiresAt, now });
  return { status: 201, body: { challenge: value, expires_at: expiresAt.toISOString() } };
});
