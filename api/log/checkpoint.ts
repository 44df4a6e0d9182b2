import { currentCheckpoint } from '../../activities/transparency/keep-checkpoint.ts';
import { handler } from '../contract.ts';
import type { Deps } from '../deps.ts';
import { publicLogContracts } from './contract.ts';
import { logSignerOf } from './signer.ts';

/** The newest signed checkpoint; one that the log has outgrown is followed by another first. */
export const checkpoint = handler(publicLogContracts.checkpoint)(async (
  input,
  deps: Pick<Deps, 'db' | 'keys' | 'settings'>,
) => {
  const logDeps = { db: deps.db, logSigner: logSignerOf(deps) };
  const { note } = await currentCheckpoint(logDeps, input.call.now);
  return {
    status: 200,
    type: 'text/plain; charset=utf-8',
    content: note,
    headers: { 'Cache-Control': 'no-cache' },
  };
});
