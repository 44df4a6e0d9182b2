import { goesOn } from '../../domain/transparency/tile-tree.ts';
import { reasonOf } from '../command-line/reason.ts';
import { localLogKey } from '../keys/log-key.ts';
import { believedLog, readCheckpoint } from './log-proof.ts';
import { tilesAt } from './read-tiles.ts';

export interface ConsistencyOptions {
  readonly from: string;
  readonly to: string;
  readonly tiles: string;
  readonly logKey?: string;
}

/**
 * Reports whether the tree of one checkpoint is a prefix of that of another, with tiles that must
 * yield the later root. Exit codes: 0 it is, 2 it is not, 1 with one line if nothing was judged.
 */
export async function judgeConsistency(
  { from, to, tiles, logKey }: ConsistencyOptions,
  dataDir: string,
): Promise<number> {
  try {
    const log = believedLog(logKey, logKey === undefined ? await localLogKey(dataDir) : null);
    const before = await readCheckpoint(from, log);
    const after = await readCheckpoint(to, log);
    if (before.size > after.size) throw new Error('--from is later than --to');
    const isOne = await goesOn(before, after, tilesAt(tiles));
    const goes = isOne ? 'goes on from that' : 'does not go on from that';
    const end = isOne ? '' : ': log_forked';
    process.stdout.write(`the log of ${after.size} entries ${goes} of ${before.size}${end}\n`);
    return isOne ? 0 : 2;
  } catch (error) {
    process.stderr.write(`${reasonOf(error)}\n`);
    return 1;
  }
}
