import { readTile } from '../../activities/transparency/read-tile.ts';
import { findLogCheckpoint } from '../../db/queries/transparency.ts';
import { signerOf } from '../../domain/transparency/note.ts';
import { parseTile } from '../../domain/transparency/tile.ts';
import { Failure } from '../../workflows/failures.ts';
import type { Deps } from '../deps.ts';
import { handler } from '../http/contract.ts';
import { publicLogContracts } from './contract.ts';

/**
 * Returns a tile that a signed checkpoint covers. It never changes, so it can be cached forever.
 */
export const tile = handler(publicLogContracts.tile)(async (
  input,
  { db, files }: Pick<Deps, 'db' | 'files'>,
) => {
  const asked = parseTile(input.path.path.split('/'));
  const signed = asked && (await findLogCheckpoint(db, signerOf(files.publicLog.key)));
  const content = asked && signed && (await readTile(db, asked, signed.size));
  if (!content) throw new Failure('not_found');
  return {
    status: 200,
    type: 'application/octet-stream',
    content,
    headers: { 'Cache-Control': 'public, max-age=31536000, immutable' },
  };
});
