import { join } from 'node:path';
import type { ScheduleHandle } from '@temporalio/client';
import { afterAll, beforeAll } from 'vitest';
import { createEvidenceStore, evidenceKey } from '../../../../activities/proofs/evidence/store.ts';
import { createDiskStore } from '../../../../activities/storage/disk.ts';
import {
  createRetentionActivities,
  type Removed,
} from '../../../../activities/trust-checks/retention/activities.ts';
import type { Db } from '../../../../db/client.ts';
import { fromTheFirstCheck, retentionId } from '../../../../workflows/retention/messages.ts';
import { ownSealer } from '../../../support/keys/own-sealer.ts';
import { eventually, openTestDb } from '../../../support/platform/harness.ts';
import { ownPlatform } from '../../../support/platform/own-platform.ts';
import { connectClient } from '../../../support/platform/temporal-client.ts';

const { databaseUrl, dataDir, baseUrl } = ownPlatform();
const clock = (): Date => new Date();

export const store = createDiskStore({
  directory: join(dataDir, 'objects'),
  baseUrl,
  secret: () => Buffer.alloc(32),
  clock,
});
export const objectOf = (id: string, evidenceId: string): Promise<Uint8Array | null> =>
  store.get(evidenceKey(id, evidenceId));

/**
 * Rounds of retention when a test file wants them; the schedule of the platform pauses meanwhile.
 * `counted` and `logged` are what the rounds reported.
 */
export function retentionRounds() {
  const counted: (Removed | 'failed')[] = [];
  const logged: unknown[] = [];
  let db: Db;
  let close: () => Promise<void>;
  let schedule: ScheduleHandle;
  beforeAll(async () => {
    db = openTestDb(databaseUrl);
    const client = await connectClient();
    schedule = client.schedule.getHandle(retentionId);
    close = async () => {
      await schedule.unpause();
      await client.connection.close();
      await db.end();
    };
    await eventually('the schedule', () =>
      schedule.pause().then(
        () => true,
        () => false,
      ),
    );
  });
  afterAll(() => close());

  return {
    counted,
    logged,
    database: () => db,
    schedule: () => schedule,
    async round(
      erase?: (id: string) => Promise<void>,
      health = () => store.health(),
    ): Promise<void> {
      const evidence = createEvidenceStore(store, ownSealer(db));
      const { removeDueImages } = createRetentionActivities({
        db,
        store: { ...store, health },
        evidence: erase ? { erase } : evidence,
        clock,
        log: { error: (told: unknown) => void logged.push(told) },
        count: (removed) => void counted.push(removed),
      });
      let step = await removeDueImages(fromTheFirstCheck);
      while (!step.is_done) step = await removeDueImages(step);
    },
    /** Moves the end of a check so far back. */
    ended: (id: string, ago: string): Promise<unknown> =>
      db.query(
        'UPDATE trust_checks SET decided_at = now() - $2::interval WHERE link_session_id = $1',
        [id, ago],
      ),
  };
}
