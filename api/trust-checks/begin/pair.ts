import { isDeepStrictEqual } from 'node:util';
import { subjectOf } from '../../../activities/trust-checks/sandbox-outcomes.ts';
import { findApp } from '../../../db/queries/credentials.ts';
import type { TrustCheckRow } from '../../../db/queries/trust-checks.ts';
import { Failure } from '../../../workflows/failures.ts';
import { needsDevice } from '../../../workflows/proofs.ts';
import { pairUpdate } from '../../../workflows/trust-check/messages.ts';
import type { Deps } from '../../deps.ts';
import type { AttestedDevice } from '../../http/auth/caller.ts';
import { handler } from '../../http/contract.ts';
import { missingIdentity, otherIdentity } from '../../http/fields/app-settings.ts';
import { change, type ChangeDeps, assertLegalStep } from '../../running-checks/change.ts';
import { findSessionOrThrow, assertNotEnded } from '../../running-checks/find.ts';
import { trustCheckContracts } from '../contract.ts';
import { bindTo, assertPersonOfCheck } from '../person.ts';
import { presentToSubject } from '../present.ts';

/**
 * Binds the attested device to the session. Without a device it binds the web client, if no proof
 * needs a device or a `sandbox_subject` forces the outcome.
 */
export const pair = handler(trustCheckContracts.pair)(async (
  input,
  deps: ChangeDeps & Pick<Deps, 'sealer'>,
) => {
  const session = await findSessionOrThrow(deps, input.path.id, input.caller, input.authorize);
  if (input.attested) checkSigningKey(input.attested, input.caller.jkt);
  const paired = await pairWith(deps, session, input.attested);
  return { status: 200, body: await presentToSubject(deps, paired) };
});

/** Pairs a session that is already loaded. */
export async function pairWith(
  deps: ChangeDeps,
  session: TrustCheckRow,
  device: AttestedDevice | null,
): Promise<TrustCheckRow> {
  assertNotEnded(session);
  const id = session.link_session_id;
  if (session.device_id && session.device_id !== device?.deviceId) {
    throw new Failure('already_paired');
  }
  const isPaired = session.paired_at !== null;
  if (isPaired && session.device_id === (device?.deviceId ?? null)) return session;
  if (device) {
    await checkApp(deps, session, device);
    await assertPersonOfCheck(deps, session, device.polyUserId);
  } else if (subjectOf(session) === null) {
    const isAllowed = session.asked.policy.web_allowed ?? true;
    if (!isAllowed || session.proofs.some(({ type }) => needsDevice(type))) {
      throw new Failure('device_required');
    }
  }
  // Bound on the row, because another person can join by their session at the same time.
  if (device) await bindTo(deps, session, device.polyUserId);
  const args = { device_id: device?.deviceId ?? null, poly_user_id: device?.polyUserId ?? null };
  const updateId = `pair/${id}/${device?.deviceId ?? 'web'}`;
  assertLegalStep(session, updateId, { kind: 'pair', ...args });
  return change(deps, id, pairUpdate, [args], updateId);
}

/**
 * Requires that the check token is bound to the phone's signing key, which was enrolled with its
 * attested key. So only the phone that began can pair and submit with this token.
 * @throws Failure `invalid_dpop_proof`
 */
export function checkSigningKey({ signingKid }: AttestedDevice, jkt: string): void {
  if (signingKid === jkt) return;
  const detail = 'Begin with a `DPoP` proof by the signing key of the phone in `attest`';
  throw new Failure('invalid_dpop_proof', { detail, extra: { rule: 'cnf' } });
}

/**
 * Requires that the phone's app is the app of the check. One mobile app can serve several apps of
 * the service, if they declare the same platform identity.
 * @throws Failure `app_id_mismatch`
 */
export async function checkApp(
  deps: Pick<Deps, 'db'>,
  session: Pick<TrustCheckRow, 'app_id'>,
  device: AttestedDevice,
): Promise<void> {
  if (device.appId === session.app_id) return;
  const [asking, attested] = await Promise.all([
    findApp(deps.db, session.app_id),
    findApp(deps.db, device.appId),
  ]);
  const identityOf = (app: typeof asking) =>
    device.platform === 'ios' ? app?.apple : app?.android;
  const wanted = identityOf(asking);
  if (wanted && isDeepStrictEqual(wanted, identityOf(attested))) return;
  throw new Failure('app_id_mismatch', {
    detail: wanted ? otherIdentity(device.platform) : missingIdentity(device.platform),
    extra: { reason_code: 'app_id_mismatch' },
  });
}
