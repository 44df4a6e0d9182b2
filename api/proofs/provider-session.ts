import { subjectOf } from '../../activities/trust-checks/sandbox-outcomes.ts';
import { providerDown } from '../../activities/vendors/provider.ts';
import { findAccount } from '../../db/queries/accounts.ts';
import { noteProviderSession, type ProofChallengeRow } from '../../db/queries/evidence.ts';
import type { TrustCheckRow } from '../../db/queries/trust-checks.ts';
import type { FaceProvider } from '../../domain/names.ts';
import { providerSessionLifeMs } from '../../domain/proofs/face/provider-session.ts';
import type { Deps } from '../deps.ts';

type ProviderDeps = Pick<Deps, 'db' | 'outside' | 'clock'>;

/**
 * Returns the provider that judges the face of this check; null if the service does so, and for a
 * forced outcome.
 */
export async function faceProviderOf(
  { db }: Pick<Deps, 'db'>,
  session: TrustCheckRow,
): Promise<FaceProvider | null> {
  if (subjectOf(session)) return null;
  return (await findAccount(db, session.account_id))?.face_provider ?? null;
}

/**
 * Begins the provider session of a challenge, or returns the existing one. The challenge's id is
 * the idempotency key, so a repeated request gets the same session. Its lifetime begins when the
 * provider has responded.
 * @throws Failure `dependency_unavailable` if the provider does not respond, or returns a session
 *   of another challenge
 */
export async function beginProviderSession(
  { db, outside, clock }: ProviderDeps,
  row: ProofChallengeRow,
): Promise<{ row: ProofChallengeRow; provider?: ProviderSession }> {
  const { provider: name, challenge_id: id } = row;
  if (name === null) return { row };
  const provider = outside.faceProviders[name];
  if (!provider) throw providerDown(`${name}, not configured`, undefined);
  const { session, client } = await provider.begin(id);
  const expiresAt = new Date(clock().getTime() + providerSessionLifeMs);
  const noted =
    row.provider_session === null ? await noteProviderSession(db, id, session, expiresAt) : row;
  if (noted?.provider_session !== session) throw providerDown(`${name}, another's`, undefined);
  return { row: noted, provider: { name, session_id: session, client: { ...client } } };
}

interface ProviderSession {
  readonly name: FaceProvider;
  readonly session_id: string;
  readonly client: Record<string, string>;
}
