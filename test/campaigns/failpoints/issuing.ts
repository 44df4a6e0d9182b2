import { randomBytes } from 'node:crypto';
import { createAffidavitActivities } from '../../../activities/affidavit/activities.ts';
import { loadKeys } from '../../../activities/keys/directory/load-keys.ts';
import { recordOwnTimestamps } from '../../../activities/keys/timestamps/record-own-timestamps.ts';
import { createStamps } from '../../../activities/keys/timestamps/stamps.ts';
import { createDiskStore } from '../../../activities/storage/disk.ts';
import { openDb } from '../../../db/client.ts';
import { randomIds } from '../../../db/ids.ts';
import { createSealer } from '../../../db/sealing/sealed.ts';
import { masterWrapper } from '../../../db/sealing/wrapper.ts';
import { doneHere } from '../../../workers/threads/heavy-work.ts';
import { namedIn } from '../../support/fixtures/affidavits/named-in.ts';
import { watched, type OnStep } from '../../support/platform/watched.ts';

/** The input of a process that issues an affidavit as a worker does. */
export interface IssuePlan {
  readonly databaseUrl: string;
  /** Directory of the platform’s keys. */
  readonly keyDirectory: string;
  /** Directory of the object store. */
  readonly folder: string;
  readonly baseUrl: string;
  readonly affidavitId: string;
  /** Number of the step at which the process dies; null for none. */
  readonly dieAt: number | null;
}

const clock = (): Date => new Date();
const log = { warn: () => undefined, error: () => undefined };

/**
 * Issues one affidavit with the parts of a worker. Reports each step that leaves the process or
 * takes long: statements, objects, signatures, pages.
 */
export async function issue(plan: IssuePlan, onStep: OnStep): Promise<void> {
  const { databaseUrl, keyDirectory, folder, baseUrl } = plan;
  const options = { connectionsMax: 4, applicationName: 'trustcheck-failpoints' };
  const pool = openDb({ url: databaseUrl, ...options }, () => undefined);
  try {
    const db = watched(pool, 'sql', onStep);
    const loaded = loadKeys(keyDirectory);
    const keys = new Proxy(loaded, {
      get: (target, name) =>
        name === 'seal' ? watched(target.seal, 'seal', onStep) : Reflect.get(target, name, target),
    });
    const disk = createDiskStore({
      directory: folder,
      baseUrl,
      secret: () => Buffer.alloc(32),
      clock,
    });
    const stamps = createStamps({
      authorities: [],
      own: watched(loaded.tsa, 'tsa', onStep),
      keep: recordOwnTimestamps(db, loaded.tsa),
      allowPrivateLists: false,
      clock,
      randomBytes,
      log,
      count: () => undefined,
    });
    const wrapper = masterWrapper(loaded.secret('data-keys'));
    const { issueAffidavit } = createAffidavitActivities({
      db,
      ids: randomIds,
      sealer: createSealer(db, wrapper, loaded.secret('blind-index')),
      store: watched(disk, 'object', onStep),
      keys,
      stamps,
      heavy: watched(doneHere, 'pages', onStep),
      clock,
      baseUrl,
      ...namedIn(loaded, baseUrl),
      log,
      countFailure: () => undefined,
    });
    await issueAffidavit({ affidavit_id: plan.affidavitId });
  } finally {
    await pool.end();
  }
}
