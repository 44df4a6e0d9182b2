import type { Deps } from '../deps.ts';
import type { Caller } from '../http/auth/caller.ts';
import { boundTo, verifyProof } from '../http/auth/dpop/prove-key.ts';
import { socketsPath } from '../http/server/create-server.ts';

/**
 * Verifies that a socket with a check token has the token's key. `proof` in the handshake is a DPoP
 * proof for GET of the path of sockets.
 * @throws Failure `dpop_proof_required`, `invalid_dpop_proof`, `use_dpop_nonce`
 */
export async function proveSocketKey(
  deps: Pick<Deps, 'db' | 'keys' | 'settings'>,
  caller: Caller,
  { token, proof }: { readonly token: string; readonly proof: unknown },
  now: Date,
): Promise<void> {
  const jkt = boundTo(caller);
  if (jkt === null) return;
  const { origins } = deps.settings;
  const header = proof === undefined || typeof proof === 'string' ? proof : '';
  await verifyProof(deps, header, { method: 'GET', path: socketsPath, origins, token, jkt }, now);
}
