import { handler } from '../contract.ts';
import type { Deps } from '../deps.ts';
import { publicLogContracts } from './contract.ts';

/** The newest signed checkpoint; one that the log has outgrown is followed by another first. */
export const checkpoint = handler(publicLogContracts.checkpoint)(async (
  _input,
  { files }: Pick<Deps, 'files'>,
) => {
  const { note } = await files.publicLog.newest();
  return {
    status: 200,
    type: 'text/plain; charset=utf-8',
    content: note,
    headers: { 'Cache-Control': 'no-cache' },
  };
});
