import { createHash, X509Certificate } from 'node:crypto';
import { wantedLanguage } from '../../domain/languages/spoken.ts';
import { encodeNoteKey } from '../../domain/transparency/note.ts';
import type { Deps } from '../deps.ts';
import { handler } from '../http/contract.ts';
import { bundleOf, endBundler, packed } from './bundle.ts';
import { verifyContracts } from './contract.ts';
import { verifierPage, type VerifierFacts } from './pages/verifier.ts';

type Programs = Pick<VerifierFacts, 'judge' | 'page'>;

let programs: Promise<Programs> | null = null;

/**
 * Returns the verifier for browsers. Its programs are bundled at the first request of a process. It
 * contains the platform's root and log key, so that a saved copy has them.
 */
export const page = handler(verifyContracts.page)(async (
  { call },
  { keys, files, settings }: Pick<Deps, 'keys' | 'files' | 'settings'>,
) => {
  programs ??= bundled();
  const { raw } = new X509Certificate(keys.trustBundlePem);
  const facts = {
    ...(await programs),
    root: keys.trustBundlePem,
    rootSha256: createHash('sha256').update(raw).digest('hex'),
    logKey: encodeNoteKey(files.publicLog.key),
    language: wantedLanguage([call.header('accept-language')]),
  };
  return { status: 200, ...verifierPage(facts, settings.hasDevelopmentRoots) };
});

async function bundled(): Promise<Programs> {
  try {
    const [judge, page] = await Promise.all([bundleOf('worker.js'), bundleOf('page.js')]);
    return { judge: await packed(judge), page };
  } catch (error) {
    programs = null;
    throw error;
  } finally {
    await endBundler();
  }
}
