import { createDeviceCheck } from '../activities/attestation/device-check.ts';
import { createKeyStatusActivities } from '../activities/attestation/activities.ts';
import { createPlayRecall } from '../activities/attestation/play-recall.ts';
import { createPublisher } from '../activities/attestation/config.ts';
import { createRecallActivities } from '../activities/attestation/recall-device.ts';
import { createReceiptActivities } from '../activities/attestation/renew-receipt.ts';
import { readPlayAccount } from '../activities/attestation/play-integrity.ts';
import type { ReceiptService } from '../activities/attestation/receipt-service.ts';
import type { DevTrust } from '../activities/config.ts';
import { createPublishedLists } from '../activities/passport/published-lists.ts';
import type { Sealer } from '../db/sealed.ts';
import type { WorkerConfig } from './config.ts';
import type { WorkerDeps } from './make-deps.ts';

/** What is asked of the vendors of phones, by the clock and about single phones. */
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
