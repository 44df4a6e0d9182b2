import type { Deps } from '../deps.ts';
import { handler } from '../http/contract.ts';
import { publicLogContracts } from './contract.ts';

/** Returns the newest signed checkpoint. If the log has grown, a new checkpoint is signed first. */
export const checkpoint = handler(publicLogContracts.checkpoint)(async (
  _input,
  { files }: Pick<Deps, 'files'>,
) => {
  const { publicLog } = files;
  const content = await publicLog.noteOf(await publicLog.newest());
  return {
    status: 200,
    type: 'text/plain; charset=utf-8',
    content,
    headers: { 'Cache-Control': 'no-cache' },
  };
});
