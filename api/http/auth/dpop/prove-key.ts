import type { Request, Response } from 'express';
import { spendToken } from '../../../../db/queries/spent-tokens.ts';
import { dpopNonce, dpopNonceExpiry } from '../../../../domain/tokens/dpop-nonce.ts';
import {
  checkBody,
  DpopRefused,
  assertDpopRule,
  readDpopProof,
  type DpopProof,
  type ProvenRequest,
} from '../../../../domain/tokens/dpop-proof.ts';
import { Failure } from '../../../../workflows/failures.ts';
import type { Deps } from '../../../deps.ts';
import type { AccessRules } from '../access-rules.ts';
import { bearerOf } from '../authenticate.ts';
import type { Caller } from '../caller.ts';

export type DpopDeps = Pick<Deps, 'db' | 'keys' | 'settings'>;

/** The failures of a request because of its `DPoP` header. */
export const dpopFaults = ['dpop_proof_required', 'invalid_dpop_proof', 'use_dpop_nonce'] as const;

/** Whether an operation reads the `DPoP` header. */
export const readsProof = ({ auth, clientKey }: AccessRules): boolean =>
  clientKey !== undefined || auth.includes('check-token');

/** Returns the key thumbprint the caller's token is bound to; null for other credentials. */
export const boundTo = (caller: Caller): string | null =>
  caller.kind === 'check-token' ? caller.jkt : null;

/** Sets the nonce of this period in the response, whatever its status. */
export function giveDpopNonce(
  { keys }: Pick<DpopDeps, 'keys'>,
  response: Pick<Response, 'setHeader'>,
  now: Date,
): void {
  response.setHeader('DPoP-Nonce', dpopNonce(keys.secret('dpop-nonce'), now));
}

/**
 * Verifies the `DPoP` header of a call with a check token, and of the call that begins a check.
 * Returns null for a call that needs no proof. The body is not read yet; `proveBody` compares it.
 * docs/decisions/004-check-tokens-are-bound.md
 * @throws Failure 401 `dpop_proof_required`, `invalid_dpop_proof`, `use_dpop_nonce`
 */
export async function proveKey(
  deps: DpopDeps,
  contract: AccessRules,
  request: Request,
  response: Response,
  caller: Caller,
  now: Date,
): Promise<DpopProof | null> {
  const jkt = boundTo(caller);
  if (jkt === null && contract.clientKey === undefined) return null;
  giveDpopNonce(deps, response, now);
  const header = request.get('dpop');
  const { origins } = deps.settings;
  const { method, originalUrl } = request;
  const [path = ''] = originalUrl.split('?', 1);
  const token = bearerOf(request) ?? null;
  return verifyProof(deps, header, { method, path, origins, token, jkt }, now);
}

/**
 * Verifies a proof and marks it as used.
 * @throws Failure as `proveKey`
 */
export async function verifyProof(
  deps: Pick<DpopDeps, 'db' | 'keys'>,
  header: string | undefined,
  request: ProvenRequest,
  now: Date,
): Promise<DpopProof> {
  if (header === undefined) {
    throw new Failure('dpop_proof_required', {
      detail: 'Sign each call of a check with the key of its browser or phone, in `DPoP`',
    });
  }
  return judged(async () => {
    const proof = await readDpopProof(header, request);
    const secrets = deps.keys.acceptedSecrets('dpop-nonce', now);
    const expiresAt = dpopNonceExpiry(secrets, proof.nonce ?? '', now);
    if (expiresAt === null) throw new Failure('use_dpop_nonce');
    assertDpopRule(
      'jti',
      await spendToken(deps.db, `dpop|${proof.jkt}|${proof.jti}`, expiresAt, now),
    );
    return proof;
  });
}

/**
 * Compares the received body with the signed one.
 * @throws Failure `invalid_dpop_proof`
 */
export async function proveBody(proof: DpopProof | null, body: Uint8Array): Promise<void> {
  if (proof) await judged(async () => checkBody(proof, body));
}

/** Maps a refused proof to a Failure that names the broken rule. The rule is no secret. */
async function judged<T>(judge: () => Promise<T>): Promise<T> {
  try {
    return await judge();
  } catch (error) {
    if (!(error instanceof DpopRefused)) throw error;
    const { message: detail, rule } = error;
    throw new Failure('invalid_dpop_proof', { detail, extra: { rule } });
  }
}
