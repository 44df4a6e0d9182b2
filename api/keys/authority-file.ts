import { issueCrl } from '../../activities/certificates/issue-crl.ts';
import { findCrl } from '../../db/queries/crls.ts';
import { Failure } from '../../workflows/failures.ts';
import { handler } from '../contract.ts';
import type { Deps } from '../deps.ts';
import { keyContracts } from './contract.ts';
import { revalidate, type PublicFile } from './revalidate.ts';

type FileDeps = Pick<Deps, 'db' | 'keys'>;

/** Certificates and revocation lists under the names that every issued certificate carries. */
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

async function crlOf({ db, keys }: FileDeps, kid: string, now: Date): Promise<PublicFile | null> {
  const type = 'application/pkix-crl';
  if (kid === keys.root.kid) return keys.root.crl && { type, content: keys.root.crl };
  const retired = [...keys.retired, ...keys.nextCas].find((ca) => ca.kid === kid);
  const issuer = retired?.signer ?? [keys.peopleCa, keys.servicesCa].find((ca) => ca.kid === kid);
  if (issuer) {
    const { der, thisUpdate } = await issueCrl({ db, issuer }, now);
    return { type, content: der, headers: { 'Last-Modified': thisUpdate.toUTCString() } };
  }
  // The last list of a CA whose key is gone stays where its certificates say it is.
  const last = retired && (await findCrl(db, kid));
  return last?.der ? { type, content: last.der } : null;
}
