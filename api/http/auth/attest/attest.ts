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

/** What the header must speak of: this very request. */
export interface AttestedRequest {
  readonly method: string;
  /** Path with query, as it was sent. */
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
  // A missing required header is a fault of shape (422), reported with the other faults.
  const header = attest && request.get('attest');
  if (header === undefined) return null;
  const facts = { method: request.method, path: request.originalUrl, body };
  return verifyAttest(deps, header, facts, response, now);
}

/**
 * Verifies the `attest` header of a request: its nonce is ours, alive and unused; it speaks of this
 * method, path and body; the device's attested key signed it; its counter rises. Every answer
 * carries the next nonce (as RFC 9449 §8 has it for DPoP).
 * Throws `attest_malformed` (422), `attest_nonce_required` (401), and refusals (403) that tell the
 * app what is wrong, but never whose a key is: an unknown device is one with a wrong signature.
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

/** Puts a fresh nonce into the answer, whatever the answer will be. */
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
  // What an iPhone signs names its app; an Android phone's app was attested with its key.
  const isOffered = device.platform === 'ios' || app?.android;
  if (!app || !isOffered) throw refusal('app_id_mismatch', missingIdentity(device.platform));
  const judged = judgeRequest(deps.attestation.trust, app, device, attest, now);
  const { verdict, reason_code } = judged.verdict;
  if (verdict === 'passed') return judged;
  throw refusal(reason_code ?? 'malformed');
}

/** A revoked device learns so only after it has shown that it holds the key. */
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
 * A key that its vendor has revoked since it was enrolled is good for nothing: whoever has broken
 * it signs whatever they like. The list is the one at hand, so that no request waits for Google.
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

/** The reason is the code where it has one of its own; the others are `attestation_refused`. */
function refusal(reason: AttestFault | ProofReason, detail?: string): Failure {
  const code = attestFaults.find((known) => known === reason) ?? 'attestation_refused';
  const extra = { reason_code: reason };
  return new Failure(code, detail === undefined ? { extra } : { detail, extra });
}
