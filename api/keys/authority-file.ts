import { currentCrlOf } from '../../activities/keys/certificates/current-crl.ts';
import { findCrl, type CrlRow } from '../../db/queries/crls.ts';
import { Failure } from '../../workflows/failures.ts';
import type { Deps } from '../deps.ts';
import { handler } from '../http/contract.ts';
import { renewList, type SigningDeps } from '../signing.ts';
import { keyContracts } from './contract.ts';
import { revalidate, type PublicFile } from './revalidate.ts';

type FileDeps = Pick<Deps, 'db' | 'keys'> & SigningDeps;

const crlType = 'application/pkix-crl';

/** Certificates and CRLs under the names that every issued certificate carries. */
export const authorityFile = handler(keyContracts.authorityFile)(async (input, deps: FileDeps) => {
  const [kid = '', form] = input.path.file.split('.');
  const file =
    form === 'crl' ? await crlOf(deps, kid, input.call.now) : certificateOf(deps.keys, kid);
  if (!file) throw new Failure('not_found');
  return revalidate(file, input.headers['if-none-match']);
});

function certificateOf(keys: Deps['keys'], kid: string): PublicFile | null {
  const current = [keys.root, keys.peopleCa, keys.servicesCa, keys.tokens];
  const known = [...current, ...keys.next, ...keys.retired];
  const found = known.find((candidate) => candidate.kid === kid);
  return found ? { type: 'application/pkix-cert', content: found.certificate.raw } : null;
}

async function crlOf(deps: FileDeps, kid: string, now: Date): Promise<PublicFile | null> {
  const { db, keys } = deps;
  if (kid === keys.root.kid) return keys.root.crl && { type: crlType, content: keys.root.crl };
  const issuers = [keys.peopleCa, keys.servicesCa, ...keys.retired, ...keys.nextCas];
  if (!issuers.some((ca) => ca.kid === kid)) return null;
  const last = await findCrl(db, kid);
  const row = currentCrlOf(last, now) ? last : await renewedCrl(deps, kid, now);
  if (!row?.der) return null;
  const headers = row.this_update ? { 'Last-Modified': row.this_update.toUTCString() } : {};
  return { type: crlType, content: row.der, headers };
}

/**
 * Returns a CRL after a worker has renewed it. While workers are unavailable it returns the last
 * one, unless a certificate was revoked since. For a CA without a key it always returns the last
 * one.
 */
async function renewedCrl(deps: FileDeps, kid: string, now: Date): Promise<CrlRow | null> {
  try {
    await renewList(deps, kid);
    const renewed = await findCrl(deps.db, kid);
    if (!renewed?.is_stale) return renewed;
    // A certificate was revoked during a renewal that had already begun; the next renewal includes
    // it.
    await renewList(deps, kid);
  } catch (error) {
    const code = error instanceof Failure ? error.code : null;
    const last = await findCrl(deps.db, kid);
    const isGood = last !== null && !last.is_stale && (last.next_update ?? now) > now;
    if (code === 'not_found' || (code === 'dependency_unavailable' && isGood)) return last;
    throw error;
  }
  return findCrl(deps.db, kid);
}
