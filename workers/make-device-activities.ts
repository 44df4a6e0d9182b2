import { createKeyStatusActivities } from '../activities/proofs/device/activities.ts';
import { createDeviceCheck } from '../activities/proofs/device/apple/device-check.ts';
import type { ReceiptService } from '../activities/proofs/device/apple/receipt-service.ts';
import { createReceiptActivities } from '../activities/proofs/device/apple/renew-receipt.ts';
import { createPublisher } from '../activities/proofs/device/config.ts';
import { readPlayAccount } from '../activities/proofs/device/google/play-integrity.ts';
import { createPlayRecall } from '../activities/proofs/device/google/play-recall.ts';
import { createRecallActivities } from '../activities/proofs/device/recall-device.ts';
import type { DevTrust } from '../activities/runtime/config.ts';
import { createPublishedLists } from '../activities/vendors/published-lists.ts';
import type { Sealer } from '../db/sealing/sealed.ts';
import type { WorkerConfig } from './config.ts';
import type { WorkerDeps } from './make-deps.ts';

/** Returns the activities that call the vendors of phones, on a schedule and for single phones. */
export function makeDeviceActivities(
  config: WorkerConfig,
  { attestationRootsPem: developmentRootsPem }: DevTrust,
  deps: Pick<WorkerDeps, 'db' | 'clock' | 'log' | 'metrics' | 'kept'> & {
    readonly receipts: ReceiptService;
    readonly sealer: Sealer;
  },
) {
  const { clock, receipts: service, metrics } = deps;
  const { store, keys } = deps.kept;
  const account = readPlayAccount(config);
  return {
    ...createKeyStatusActivities({
      ...deps,
      ...createPublisher(config, clock),
      lists: createPublishedLists(store),
      keys,
    }),
    ...createReceiptActivities({
      ...deps,
      service,
      developmentRootsPem,
      riskMetricMax: config.APP_ATTEST_RISK_MAX,
      countRefusal: () => metrics.vendorRefusals.inc({ vendor: 'apple' }),
    }),
    ...createRecallActivities({
      ...deps,
      vendors: {
        ios: createDeviceCheck(config, clock),
        android: account && createPlayRecall({ account, url: config.PLAY_INTEGRITY_URL, clock }),
      },
      countRefusal: (vendor) => metrics.vendorRefusals.inc({ vendor }),
    }),
  };
}
