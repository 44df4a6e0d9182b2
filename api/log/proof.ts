import { proveLogged } from '../../activities/transparency/prove.ts';
import { Failure } from '../../workflows/failures.ts';
import type { Deps } from '../deps.ts';
import { handler } from '../http/contract.ts';
import { publicLogContracts } from './contract.ts';

/** Returns the proof of an affidavit by its number, under the newest checkpoint. */
export const proof = handler(publicLogContracts.proof)(async (
  input,
  { db, files }: Pick<Deps, 'db' | 'files'>,
) => {
  const { affidavit_id: id } = input.path;
  const content = await proveLogged({ db, publicLog: files.publicLog }, id);
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
