import { findAffidavit } from '../../db/queries/affidavits.ts';
import { findTrustCheck } from '../../db/queries/trust-checks.ts';
import { Failure } from '../../workflows/failures.ts';
import { handler } from '../contract.ts';
import type { Deps } from '../deps.ts';
import { verifyContracts } from './contract.ts';

/**
 * Tells whoever holds an affidavit which file it is. Its number has 130 random bits and stands in
 * the file alone; nothing about the person is said.
 */
export const affidavit = handler(verifyContracts.affidavit)(async (
  input,
  deps: Pick<Deps, 'db' | 'pages'>,
) => {
  const row = await findAffidavit(deps.db, input.path.affidavit_id);
  const session = row && (await findTrustCheck(deps.db, row.link_session_id));
  if (!session || !row.sha256 || !row.sealed_at || !row.pades_level) throw new Failure('not_found');
  const page = deps.pages.affidavit({
    affidavitId: row.affidavit_id,
    sha256: row.sha256,
    sealedAt: row.sealed_at,
    padesLevel: row.pades_level,
    isRevoked: session.outcome_validity === 'revoked',
    isLive: session.livemode,
  });
  return {
    status: 200,
    type: page.type,
    content: page.content,
    headers: { ...page.headers, 'Cache-Control': 'no-store', 'Referrer-Policy': 'no-referrer' },
  };
});
