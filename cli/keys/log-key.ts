import { KeyDirectoryError } from '../../activities/keys/directory/key-files.ts';
import { parseConfig } from '../../activities/runtime/config.ts';
import { logConfig } from '../../activities/transparency/config.ts';
import { logSignerOf } from '../../activities/transparency/open-log.ts';
import { encodeNoteKey, type NoteKey } from '../../domain/transparency/note.ts';
import { loadLocalKeys } from '../data-directory/keys.ts';
import { readState } from '../data-directory/state.ts';
import { environment } from '../environment.ts';

/** Returns the key of the local platform's public log; null if it has none yet. */
export async function localLogKey(dataDir: string): Promise<NoteKey | null> {
  const { LOG_ORIGIN, BASE_URL = (await readState(dataDir, 'status'))?.base_url } = environment();
  if (LOG_ORIGIN === undefined && BASE_URL === undefined) return null;
  try {
    const settings = { ...parseConfig(logConfig, environment()), BASE_URL: BASE_URL ?? '' };
    return logSignerOf(settings, loadLocalKeys(dataDir)).key;
  } catch (error) {
    if (!(error instanceof KeyDirectoryError)) throw error;
    return null;
  }
}

/** Prints the key that verifies checkpoints of the public log. Exit code 1 if there is none yet. */
export async function printLogKey(dataDir: string): Promise<number> {
  const key = await localLogKey(dataDir);
  if (!key) {
    process.stderr.write('there is no log here yet; the first npm start makes it\n');
    return 1;
  }
  process.stdout.write(`${encodeNoteKey(key)}\n`);
  return 0;
}
