import type { ObjectStore } from '../../../activities/storage/object-store.ts';
import { appendToLog } from '../../../activities/transparency/append.ts';
import { proveLogged } from '../../../activities/transparency/prove.ts';
import type { PublicLog } from '../../../activities/transparency/public-log.ts';
import { transaction, type Db } from '../../../db/client.ts';
import {
  listUnprovenAffidavits,
  markAffidavitProven,
  type UnprovenAffidavit,
} from '../../../db/queries/affidavits.ts';
import { transparencyChannel } from '../../../db/queries/transparency.ts';
import { Failure } from '../../../workflows/failures.ts';
import type { Outbox } from '../relay.ts';
import { dispatchOutbox, type DispatchDeps } from '../outbox-dispatcher.ts';

interface LogProofDeps extends DispatchDeps {
  readonly db: Db;
  readonly kept: { readonly store: Pick<ObjectStore, 'put'>; readonly publicLog: PublicLog };
}

/** Milliseconds that a proof waits for the required witnesses. Then it is stored without them. */
const witnessMsMax = 600_000;

/**
 * Signs a checkpoint of the public log when it has grown, and stores an inclusion proof beside each
 * new affidavit. An affidavit that is not in the log yet is appended first.
 */
export function logProofs(deps: LogProofDeps): Outbox {
  const unproven = {
    list: async (lengthMax: number, without: readonly string[]) => {
      const witnessed = await deps.kept.publicLog.witnessedSize();
      const patience = new Date(deps.clock().getTime() - witnessMsMax);
      return listUnprovenAffidavits(deps.db, { limit: lengthMax, without, witnessed, patience });
    },
    idOf: ({ affidavit_id }: UnprovenAffidavit) => affidavit_id,
    start: (affidavit: UnprovenAffidavit) => prove(deps, affidavit),
    mark: ({ affidavit_id }: UnprovenAffidavit) => markAffidavitProven(deps.db, [affidavit_id]),
  };
  return {
    channel: transparencyChannel,
    countedAs: 'log_proofs',
    drain: async (signal) => {
      await deps.kept.publicLog.newest();
      await dispatchOutbox(unproven, deps, signal);
    },
  };
}

/** Checks at startup whether the log continues from its last signed checkpoint, and logs if not. */
export async function lookAtLog({
  kept,
  log,
}: Pick<LogProofDeps, 'log'> & { readonly kept: Pick<LogProofDeps['kept'], 'publicLog'> }) {
  await kept.publicLog.look().catch((err: unknown) => log.warn({ err }, 'the public log waits'));
}

async function prove({ db, kept, clock }: LogProofDeps, affidavit: UnprovenAffidavit) {
  const { store, publicLog } = kept;
  const inLog = () => proveLogged({ db, publicLog }, affidavit.affidavit_id);
  const text =
    (await inLog()) ??
    (await transaction(db, (tx) => appendToLog(tx, affidavit, clock())).then(inLog));
  if (text === null) throw new Error('an affidavit was entered and is not in the log');
  try {
    await store.put({
      key: affidavit.affidavit_key.replace(/\.pdf$/, '.tlog-proof'),
      body: Buffer.from(text),
      contentType: 'text/plain; charset=utf-8',
      ifAbsent: true,
    });
  } catch (error) {
    // A proof under an earlier checkpoint is stored already. It proves the same.
    if (!(error instanceof Failure && error.code === 'object_conflict')) throw error;
  }
}
