import { findAffidavit, type AffidavitRow } from '../../db/queries/affidavits.ts';
import { findTrustCheck, type TrustCheckRow } from '../../db/queries/trust-checks.ts';
import { wantedLanguage } from '../../domain/languages/spoken.ts';
import { encodeNoteKey, type NoteKey } from '../../domain/transparency/note.ts';
import { Failure } from '../../workflows/failures.ts';
import type { Deps } from '../deps.ts';
import { handler } from '../http/contract.ts';
import { preferredType } from '../http/problem/accept.ts';
import { verifyContracts } from './contract.ts';
import { affidavitPage } from './pages/affidavit.ts';

const jsonType = 'application/json; charset=utf-8';
const headers = {
  'Cache-Control': 'no-store',
  'Referrer-Policy': 'no-referrer',
  Vary: 'Accept, Accept-Language',
};

/**
 * Returns the facts that identify an affidavit's file, as a page or, by `Accept`, as JSON. Its
 * number has 130 random bits and is only in the file. The response has no personal data.
 */
export const affidavit = handler(verifyContracts.affidavit)(async (
  input,
  deps: Pick<Deps, 'db' | 'files' | 'settings'>,
) => {
  const row = await findAffidavit(deps.db, input.path.affidavit_id);
  const session = row && (await findTrustCheck(deps.db, row.link_session_id));
  const facts = session && factsOf(row, session, deps.files.publicLog.key);
  if (!facts) throw new Failure('not_found');
  const preferred = preferredType(input.call.header('accept'), ['text/html', 'application/json']);
  if (preferred === 'application/json') {
    return { status: 200, type: jsonType, content: JSON.stringify(facts), headers };
  }
  const language = wantedLanguage([input.call.header('accept-language')]);
  const page = affidavitPage(facts, deps.settings.baseUrl, language);
  return {
    status: 200,
    type: page.type,
    content: page.content,
    headers: { ...page.headers, ...headers },
  };
});

/** Returns the facts of an affidavit; null if it is not sealed yet. */
function factsOf(row: AffidavitRow, session: TrustCheckRow, logKey: NoteKey) {
  const { affidavit_id, sha256, sealed_at, pades_level, development } = row;
  if (!sha256 || !sealed_at || !pades_level) return null;
  return {
    affidavit_id,
    sha256,
    sealed_at: sealed_at.toISOString(),
    pades_level,
    outcome_validity: session.outcome_validity,
    livemode: session.livemode,
    development,
    log_origin: logKey.name,
    log_key: encodeNoteKey(logKey),
  };
}
