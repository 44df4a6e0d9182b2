import { Client, Connection } from '@temporalio/client';
import { pino } from 'pino';
import { createDiskStore } from '../../../activities/storage/disk.ts';
import type { NewObject } from '../../../activities/storage/object-store.ts';
import { appendToLog } from '../../../activities/transparency/append.ts';
import { createPublicLog } from '../../../activities/transparency/public-log.ts';
import { openDb, transaction } from '../../../db/client.ts';
import { listUnprovenAffidavits } from '../../../db/queries/affidavits.ts';
import { createLogSigner } from '../../../domain/transparency/log-signer.ts';
import { logProofs } from '../../../workers/outboxes/sweeps/log-proofs.ts';

/** The point at which the process kills itself with SIGKILL; null to finish. */
type KillPoint = 'entering' | 'entered' | 'laid' | 'kept' | 'proven' | null;

export interface ChildPlan {
  readonly databaseUrl: string;
  readonly directory: string;
  readonly seed: string;
  readonly name: string;
  readonly point: KillPoint;
}

/** Does the public log work of a worker, in a process that kills itself at one point. */
export async function proveAll(plan: ChildPlan): Promise<void> {
  const { databaseUrl, directory, seed, name, point } = plan;
  const clock = (): Date => new Date();
  const dieAt = (here: KillPoint): void => {
    if (here === point) process.kill(process.pid, 'SIGKILL');
  };
  const options = { connectionsMax: 4, applicationName: 'trustcheck-log-child' };
  const db = openDb({ url: databaseUrl, ...options }, () => undefined);
  const disk = createDiskStore({ directory, baseUrl: '', secret: () => Buffer.alloc(32), clock });
  const store = {
    get: disk.get,
    async put(object: NewObject) {
      const isProof = object.key.endsWith('.tlog-proof');
      dieAt(isProof ? 'kept' : 'entered');
      const put = await disk.put(object);
      dieAt(isProof ? 'proven' : 'laid');
      return put;
    },
  };
  const logSigner = createLogSigner(Buffer.from(seed, 'hex'), name);
  const publicLog = createPublicLog({ db, store, logSigner, clock, witnessesWanted: 0 });
  const log = pino({ enabled: false });
  const client = new Client({ connection: Connection.lazy() });
  if (point === 'entering') {
    await transaction(db, async (tx) => {
      const unproven = { limit: 1, without: [], witnessed: null, patience: clock() };
      for (const each of await listUnprovenAffidavits(db, unproven)) {
        await appendToLog(tx, each, clock());
      }
      dieAt('entering');
    });
  }
  await logProofs({ db, client, clock, log, kept: { store, publicLog } }).drain(
    new AbortController().signal,
  );
  await client.connection.close();
  await db.end();
}

const [given] = process.argv.slice(2);
if (given?.startsWith('{')) await proveAll(JSON.parse(given) as ChildPlan);
