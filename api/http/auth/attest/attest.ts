import { createHash } from 'node:crypto';
import type { Request, Response } from 'express';
import { revokeForKey } from '../../../../activities/proofs/device/google/revoke-listed.ts';
import {
  judgeRequest,
  type JudgedRequest,
} from '../../../../activities/proofs/device/judge-request.ts';
import { findApp } from '../../../../db/queries/credentials.ts';
import {
  findDevice,
  noteDeviceSeen,
  raiseCounter,
  type DeviceRow,
} from '../../../../db/queries/devices.ts';
import { spendToken } from '../../../../db/queries/spent-tokens.ts';
import type { ProofReason } from '../../../../domain/proofs/reasons.ts';
import { attestNonceExpiry, makeAttestNonce } from '../../../../domain/tokens/attest-nonce.ts';
import { Failure } from '../../../../workflows/failures.ts';
import type { Deps } from '../../../deps.ts';
import { missingIdentity } from '../../fields/app-settings.ts';
import type { AccessRules } from '../access-rules.ts';
import type { AttestedDevice } from '../caller.ts';
import { attestFaults, type AttestFault } from './attest-faults.ts';
import { readAttestHeader, type AttestHeader } from './attest-header.ts';

/** The request that the header must be signed for. */
export interface AttestedRequest {
  readonly method: string;
  /** Path with query, as sent. */
  readonly path: string;
  readonly body: Uint8Array;
}

type AttestDeps = Pick<Deps, 'db' | 'keys' | 'ids' | 'sealer' | 'attestation'>;

const nonceRandomBytes = 16;
const clockSkewMs = 60_000;
const requestAgeMsMax = 5 * 60_000;

/** Verifies the `attest` header where the operation reads it; null where none was sent. */
export async function readAttest(
  { attest }: AccessRules,
  deps: AttestDeps,
  request: Request,
  response: Response,
  body: Uint8Array,
  now: Date,
): Promise<AttestedDevice | null> {
  // A missing required header is a validation fault (422), reported with the other faults.
  const header = attest && request.get('attest');
  if (header === undefined) return null;
  const facts = { method: request.method, path: request.originalUrl, body };
  return verifyAttest(deps, header, facts, response, now);
}

/**
 * Verifies the `attest` header of a request. The nonce must be ours, unexpired and unused. The
 * method, path and body must match the request. The attested key of the device must have signed it,
 * and its counter must increase. Every response carries the next nonce (as RFC 9449 §8 does for
 * DPoP).
 * @throws Failure `attest_malformed` (422), `attest_nonce_required` (401), and refusals (403) that
 *   name the fault. An unknown device gets the same refusal as a wrong signature, so that the
 *   response does not reveal which devices are enrolled.
 */
export async function verifyAttest(
  deps: AttestDeps,
  header: string,
  request: AttestedRequest,
  response: Response,
  now: Date,
): Promise<AttestedDevice> {
  giveNonce(deps, response, now);
  const attest = readAttestHeader(header);
  await spendNonce(deps, attest, now);
  checkRequest(attest, request, now);
  const device = await findDevice(deps.db, attest.deviceId);
  if (!device || device.platform !== attest.platform) throw refusal('signature_invalid');
  const judged = await judge(deps, device, attest, now);
  await accept(deps, device, judged, now);
  return {
    deviceId: device.device_id,
    polyUserId: device.poly_user_id,
    appId: device.app_id,
    platform: device.platform,
    signingKid: device.signing_kid,
    headerSha256: createHash('sha256').update(header).digest('hex'),
    nonce: attest.nonce,
    playToken: attest.playToken,
    evidence: judged.file,
  };
}

/** Sets a fresh nonce in the response, whatever its status. */
export function giveNonce(
  deps: Pick<AttestDeps, 'keys' | 'ids'>,
  response: Pick<Response, 'setHeader'>,
  now: Date,
): void {
  const random = deps.ids.bytes(nonceRandomBytes);
  const secret = deps.keys.secret('attest-nonce');
  response.setHeader('Attest-Nonce', makeAttestNonce(secret, random, now));
}

async function spendNonce(deps: AttestDeps, { nonce }: AttestHeader, now: Date): Promise<void> {
  const secrets = deps.keys.acceptedSecrets('attest-nonce', now);
  const expiresAt = attestNonceExpiry(secrets, nonce, now);
  const isFirst = expiresAt && (await spendToken(deps.db, `attest|${nonce}`, expiresAt, now));
  if (!isFirst) throw new Failure('attest_nonce_required');
}

function checkRequest(attest: AttestHeader, request: AttestedRequest, now: Date): void {
  const isSame = attest.method === request.method && attest.path === request.path;
  if (!isSame) throw refusal('request_mismatch');
  const bodySha256 = createHash('sha256').update(request.body).digest('hex');
  if (attest.bodySha256 !== bodySha256) throw refusal('body_mismatch');
  const ageMs = now.getTime() - attest.issuedAt.getTime();
  if (ageMs < -clockSkewMs || ageMs > requestAgeMsMax + clockSkewMs) {
    throw refusal('request_mismatch');
  }
}

async function judge(
  deps: AttestDeps,
  device: DeviceRow,
  attest: AttestHeader,
  now: Date,
): Promise<JudgedRequest> {
  const app = await findApp(deps.db, device.app_id);
  // An iPhone's signed data names the app. An Android app was attested together with its key.
  const isOffered = device.platform === 'ios' || app?.android;
  if (!app || !isOffered) throw refusal('app_id_mismatch', missingIdentity(device.platform));
  const judged = judgeRequest(deps.attestation.trust, app, device, attest, now);
  const { verdict, reason_code } = judged.verdict;
  if (verdict === 'passed') return judged;
  throw refusal(reason_code ?? 'malformed');
}

/** Checks revocation after the signature: only the holder of the key learns that it is revoked. */
async function accept(
  deps: AttestDeps,
  device: DeviceRow,
  { counter }: JudgedRequest,
  now: Date,
): Promise<void> {
  if (device.revoked_at) throw refusal('device_revoked');
  if (device.platform === 'android') await assertNotRevokedByVendor(deps, device, now);
  if (counter === null) return noteDeviceSeen(deps.db, device.device_id, now);
  if (await raiseCounter(deps.db, device.device_id, counter, now)) return;
  const current = await findDevice(deps.db, device.device_id);
  throw refusal(current?.revoked_at ? 'device_revoked' : 'counter_replay');
}

/**
 * Refuses a key that its vendor has revoked since enrollment: an attacker who has extracted the key
 * can sign anything. Uses the cached list, so that no request waits for Google.
 */
async function assertNotRevokedByVendor(
  deps: AttestDeps,
  device: DeviceRow,
  now: Date,
): Promise<void> {
  const { attestation_serials: serials } = device;
  if (!serials) throw new Error('an Android device without serial numbers');
  if (!(await deps.attestation.isListed(serials))) return;
  await revokeForKey(deps.db, device, now);
  throw refusal('device_revoked');
}

/** A reason with a failure code of its own uses that code; the others are `attestation_refused`. */
function refusal(reason: AttestFault | ProofReason, detail?: string): Failure {
  const code = attestFaults.find((known) => known === reason) ?? 'attestation_refused';
  const extra = { reason_code: reason };
  return new Failure(code, detail === undefined ? { extra } : { detail, extra });
}
