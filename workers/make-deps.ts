import { Client } from '@temporalio/client';
import type { DataConverter } from '@temporalio/common';
import type { OpenTelemetryPlugin } from '@temporalio/interceptors-opentelemetry-v2';
import { NativeConnection } from '@temporalio/worker';
import type { Logger } from 'pino';
import { createAffidavitActivities } from '../activities/affidavit/activities.ts';
import { operatorOf } from '../activities/affidavit/operator.ts';
import { createRenewalActivities } from '../activities/affidavit/renew-due.ts';
import { createCalendarActivities } from '../activities/calendar/activities.ts';
import { createCalendarProvider } from '../activities/calendar/config.ts';
import { createMailer } from '../activities/delivery/mail/config.ts';
import { createOutbox } from '../activities/delivery/outbox.ts';
import { createWebhookActivities } from '../activities/delivery/webhooks/activities.ts';
import { createEmailActivities } from '../activities/identity/email/activities.ts';
import { createMemberActivities } from '../activities/identity/members/activities.ts';
import { createIssuers } from '../activities/identity/sso/issuers.ts';
import { keyPlaceOf } from '../activities/keys/config.ts';
import { createWrapper } from '../activities/keys/data-keys-config.ts';
import { heldKeys } from '../activities/keys/directory/held-keys.ts';
import {
  openKeys,
  watchStolenKeys,
  type LiveKeys,
} from '../activities/keys/directory/live-keys.ts';
import { createSigningActivities } from '../activities/keys/signing/activities.ts';
import { openStamps } from '../activities/keys/timestamps/config.ts';
import { createInvitationActivities } from '../activities/links/activities.ts';
import { createLogoActivities } from '../activities/links/logos/activities.ts';
import { createMeetingActivities } from '../activities/meetings/activities.ts';
import { createConferences } from '../activities/meetings/platforms/conference.ts';
import {
  createReceiptService,
  type ReceiptService,
} from '../activities/proofs/device/apple/receipt-service.ts';
import { createDeviceJudge } from '../activities/proofs/device/proof.ts';
import { createDocumentJudge } from '../activities/proofs/document/proof.ts';
import { createEvidenceStore } from '../activities/proofs/evidence/store.ts';
import { createFaceJudge } from '../activities/proofs/face/proof.ts';
import {
  claimPolicyOf,
  createLivenessProviders,
} from '../activities/proofs/face/provider/config.ts';
import {
  createTrustListActivities,
  type TrustListSources,
} from '../activities/proofs/passport/activities.ts';
import {
  loadCountryCrls,
  openPassportTrust,
  trustListSources,
} from '../activities/proofs/passport/config.ts';
import { createPassportJudge } from '../activities/proofs/passport/proof.ts';
import { createPhoneJudge } from '../activities/proofs/phone/proof.ts';
import { codecRing } from '../activities/runtime/codec/config.ts';
import { createDataConverter } from '../activities/runtime/codec/data-converter.ts';
import { hasDevelopmentRoots, loadDevTrust } from '../activities/runtime/config.ts';
import { temporalTlsOf } from '../activities/runtime/temporal-tls.ts';
import { createTracing } from '../activities/runtime/tracing.ts';
import { createObjectStore } from '../activities/storage/config.ts';
import type { ObjectStore } from '../activities/storage/object-store.ts';
import { openPublicLog } from '../activities/transparency/open-log.ts';
import type { PublicLog } from '../activities/transparency/public-log.ts';
import type { Witness } from '../activities/transparency/witnesses.ts';
import { createTrustCheckActivities } from '../activities/trust-checks/activities.ts';
import { createPhotoPublisher } from '../activities/trust-checks/photo.ts';
import { createPrescreenActivities } from '../activities/trust-checks/prescreen/activities.ts';
import { createRetentionActivities } from '../activities/trust-checks/retention/activities.ts';
import { createPublishedLists } from '../activities/vendors/published-lists.ts';
import { openDb, type Db } from '../db/client.ts';
import { randomIds, type Ids } from '../db/ids.ts';
import { countOpenChecks, readBacklog } from '../db/queries/backlog.ts';
import { findOldestDue } from '../db/queries/retention.ts';
import { createSealer, type Sealer } from '../db/sealing/sealed.ts';
import { rootListEndsAt } from '../domain/pki/revocation/root-crl.ts';
import { threadsOf, type WorkerConfig } from './config.ts';
import { makeDeviceActivities } from './make-device-activities.ts';
import { createWorkerMetrics, type WorkerMetrics } from './metrics.ts';
import { createThreads, type Threads } from './threads/pool.ts';

export interface WorkerDeps {
  readonly db: Db;
  readonly ids: Ids;
  readonly clock: () => Date;
  readonly client: Client;
  readonly connection: NativeConnection;
  readonly dataConverter: DataConverter;
  readonly plugin: OpenTelemetryPlugin;
  readonly activities: object;
  readonly metrics: WorkerMetrics;
  readonly threads: Threads;
  /**
   * Image, list and checkpoint storage; keys that sign checkpoints; sources of published lists;
   * Apple teams that we have a key for; and whether we have a Play Integrity account.
   */
  readonly kept: {
    readonly keys: LiveKeys;
    readonly store: ObjectStore;
    readonly publicLog: PublicLog;
    readonly witnesses: readonly Witness[];
    readonly appleTeams: readonly string[];
    readonly recallsAndroid: boolean;
    readonly listSources: TrustListSources;
  };
  readonly log: Logger;
}

/**
 * Creates the dependencies and activities of a worker process, and a function that closes them in
 * order.
 */
export async function makeWorkerDeps(
  config: WorkerConfig,
  log: Logger,
): Promise<{ deps: WorkerDeps; stop: () => Promise<void> }> {
  const clock = (): Date => new Date();
  const ids = randomIds;
  const keys = openKeys({ ...keyPlaceOf(config), holds: heldKeys.worker }, log);
  await keys.prove();
  const ring = codecRing(config, keys.secret('temporal-codec'));
  const db = openDb(
    {
      url: config.DATABASE_URL,
      connectionsMax: config.DATABASE_CONNECTIONS_MAX,
      applicationName: 'trustcheck-worker',
    },
    (err) => log.warn({ err }, 'a database connection broke'),
  );
  const stopWatching = await watchStolenKeys(db, keys, log);
  const tracing = await createTracing('trustcheck-worker', config.OTEL_EXPORTER_OTLP_ENDPOINT);
  const tls = temporalTlsOf(config);
  const connection = await NativeConnection.connect({
    address: config.TEMPORAL_ADDRESS,
    ...(tls && { tls }),
    // Encrypted payloads do not compress, so trying costs CPU time at both ends.
    grpcCompression: { codec: 'none' },
  });
  const namespace = config.TEMPORAL_NAMESPACE;
  const dataConverter = createDataConverter({
    ring,
    namespace,
    failClosed: config.PROFILE === 'production',
  });
  const client = new Client({ connection, namespace, dataConverter, plugins: [tracing.plugin] });
  const threads = createThreads({
    threadsMax: threadsOf(config),
    onBroken: (err) => log.warn({ err }, 'a thread ended'),
  });
  const store = await createObjectStore(config, () => keys.secret('object-urls'), clock);
  const publicLog = openPublicLog(config, { db, store, keys, clock });
  const metrics = createWorkerMetrics({
    backlog: () => readBacklog(db, clock()),
    openChecks: () => countOpenChecks(db),
    imagesDue: () => findOldestDue(db, clock()),
    logFault: publicLog.fault,
    rootListEndsAt: () => rootListEndsAt(keys),
    clock,
    log,
  });
  const receipts = createReceiptService(config, clock);
  const kept = {
    keys,
    store,
    publicLog,
    witnesses: config.LOG_WITNESSES ?? [],
    appleTeams: receipts.teams,
    recallsAndroid: config.PLAY_INTEGRITY_ACCOUNT !== undefined,
    listSources: trustListSources(config),
  };
  const common = { db, ids, clock, kept, log, metrics, threads };
  const activities = await makeActivities(config, { ...common, receipts });
  const stop = async (): Promise<void> => {
    stopWatching();
    await threads.stop();
    await connection.close();
    await db.end();
    await tracing.stop();
  };
  const { plugin } = tracing;
  const deps = { ...common, client, connection, dataConverter, plugin, activities };
  return { deps, stop };
}

type Common = Pick<WorkerDeps, 'db' | 'ids' | 'clock' | 'kept' | 'log' | 'metrics' | 'threads'>;

async function makeActivities(
  config: WorkerConfig,
  { db, ids, clock, kept, log, metrics, threads, receipts }: Common & Receipts,
): Promise<object> {
  const { BASE_URL: baseUrl } = config;
  const { keys, store } = kept;
  const wrapper = createWrapper(config, keys.secret('data-keys'));
  const sealer = createSealer(db, wrapper, keys.secret('blind-index'));
  const trust = loadDevTrust(config, config.PROFILE);
  const passports = await makePassports(config, trust.cscaPem, { kept, clock, log });
  const mailer = createMailer(config, createOutbox(db, ids, clock));
  const common = { db, ids, sealer, clock };
  const mailing = { ...common, mailer, baseUrl };
  // A seal, its timestamps and the text of the file must match, so these keys change only at a
  // restart.
  const own = keys.loaded;
  const countSource = metrics.countStamp;
  const stamps = openStamps(config, { db, keys: own, ids, clock, log, countSource });
  const affidavits = { ...common, store, keys: own, stamps, heavy: threads, log };
  const allowPrivate = config.PROFILE === 'development';
  const calendar = createCalendarProvider(config, createIssuers({ allowPrivate, clock }));
  return {
    ...createTrustCheckActivities({
      ...common,
      evidence: createEvidenceStore(store, sealer),
      photos: createPhotoPublisher({ ...common, store, heavy: threads, baseUrl }),
      judges: {
        ...makeJudges(config, { db, sealer, keys, ids, clock, threads }),
        nfc_passport: passports.judge,
      },
    }),
    ...createAffidavitActivities({
      ...affidavits,
      baseUrl,
      platform: {
        operator: operatorOf(config),
        logKey: kept.publicLog.key,
        hasDevelopmentRoots: hasDevelopmentRoots(config),
      },
      countFailure: (reason) => metrics.affidavitFailures.inc({ reason }),
    }),
    ...createRenewalActivities(affidavits),
    ...createSigningActivities({ db, keys, ids, clock, baseUrl }),
    ...createEmailActivities({ ...mailing, keys }),
    ...createInvitationActivities({ ...mailing, keys }),
    ...createLogoActivities({ heavy: threads, allowPrivate }),
    ...createMemberActivities(mailing),
    ...createPrescreenActivities({ db, clock, log }),
    ...createRetentionActivities({
      ...common,
      store,
      evidence: createEvidenceStore(store, sealer),
      log,
      count: metrics.retention,
    }),
    ...passports.activities,
    ...makeDeviceActivities(config, trust, { ...common, kept, receipts, log, metrics }),
    ...createMeetingActivities({
      ...common,
      store,
      heavy: threads,
      conferences: createConferences(),
      hasDevelopmentRoots: hasDevelopmentRoots(config),
    }),
    ...createCalendarActivities({ ...common, provider: calendar }),
    ...createWebhookActivities({ ...common, allowPrivate }),
  };
}

/** Returns the judges that need no published lists. */
function makeJudges(
  config: WorkerConfig,
  deps: Pick<Common, 'db' | 'ids' | 'clock' | 'threads'> &
    Pick<WorkerDeps['kept'], 'keys'> & { readonly sealer: Sealer },
) {
  const { db, sealer, keys, threads: heavy } = deps;
  const takesSpecimens = hasDevelopmentRoots(config);
  const providers = createLivenessProviders(config, deps);
  const policy = claimPolicyOf(config);
  return {
    device: createDeviceJudge({ sealer }),
    document: createDocumentJudge({ heavy, takesSpecimens }),
    biometric: createFaceJudge({ db, sealer, heavy, providers, policy, keys }),
    phone: createPhoneJudge({ sealer, keys }),
  };
}

type PassportDeps = Pick<Common, 'clock' | 'kept' | 'log'>;

interface Receipts {
  readonly receipts: ReceiptService;
}

/** Returns the judge of passports, and the activities that update its lists. */
async function makePassports(
  config: WorkerConfig,
  devCscaPem: string | null,
  { kept, clock, log }: PassportDeps,
) {
  const lists = createPublishedLists(kept.store);
  const deps = { lists, clock, log };
  const trust = await openPassportTrust(config, devCscaPem, deps);
  const crls = await loadCountryCrls(config, trust, deps);
  const legacyAlgorithms = config.PASSPORT_LEGACY_ALGORITHMS;
  const sources = kept.listSources;
  return {
    judge: createPassportJudge({ trust, ...crls, legacyAlgorithms, keys: kept.keys }),
    activities: createTrustListActivities({ sources, trust, legacyAlgorithms, ...deps }),
  };
}
