import { proveLogged } from '../../activities/transparency/prove.ts';
import { Failure } from '../../workflows/failures.ts';
import { handler } from '../contract.ts';
import type { Deps } from '../deps.ts';
import { publicLogContracts } from './contract.ts';
import { logSignerOf } from './signer.ts';

/** The proof of an affidavit, for whoever holds its number, under the newest checkpoint. */
export const proof = handler(publicLogContracts.proof)(async (
  input,
  deps: Pick<Deps, 'db' | 'keys' | 'settings'>,
) => {
  const { affidavit_id: id } = input.path;
  const logDeps = { db: deps.db, logSigner: logSignerOf(deps) };
  const content = await proveLogged(logDeps, id, input.call.now);
  if (content === null) throw new Failure('not_found');
  return {
    status: 200,
    type: 'text/plain; charset=utf-8',
    content,
    headers: {
      'Cache-Control': 'no-store',
      'Content-Disposition': `attachment; filename="affidavit-${id}.tlog-proof"`,
    },
  };
});
