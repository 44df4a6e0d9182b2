import { KeyDirectoryError } from '../activities/certificates/key-files.ts';
import { logOriginOf } from '../activities/transparency/config.ts';
import { createLogSigner } from '../activities/transparency/log-signer.ts';
import { encodeNoteKey, type NoteKey } from '../activities/transparency/note.ts';
import { environment } from './environment.ts';
import { loadLocalKeys } from './keys.ts';
import { readState } from './state.ts';

/** The key of the local platform's public log; null where it has none yet. */
export async function localLogKey(dataDir: string): Promise<NoteKey | null> {
  const { LOG_ORIGIN, BASE_URL = (await readState(dataDir, 'status'))?.base_url } = environment();
  if (LOG_ORIGIN === undefined && BASE_URL === undefined) return null;
  try {
    const name = logOriginOf({ LOG_ORIGIN, BASE_URL: BASE_URL ?? '' });
    return createLogSigner(loadLocalKeys(dataDir).secret('transparency-log'), name).key;
  } catch (error) {
    if (!(error instanceof KeyDirectoryError)) throw error;
    return null;
  }
}

/** Prints the key that checkpoints of the public log are verified by; 1 when there is none yet. */
export async function printLogKey(dataDir: string): Promise<number> {
  const key = await localLogKey(dataDir);
  if (!key) {
    process.stderr.write('there is no log here yet; the first npm start makes it\n');
    return 1;
  }
  process.stdout.write(`${encodeNoteKey(key)}\n`);
  return 0;
}
