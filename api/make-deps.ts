import { lookup } from 'node:dns/promises';
import { Client } from '@temporalio/client';
import type { Logger } from 'pino';
import { createCalendarProvider } from '../activities/calendar/config.ts';
import { createOutbox, type Outbox } from '../activities/delivery/outbox.ts';
import { createSmsSender } from '../activities/delivery/sms/config.ts';
import { createIssuers } from '../activities/identity/sso/issuers.ts';
import { keyPlaceOf } from '../activities/keys/config.ts';
import { createWrapper } from '../activities/keys/data-keys-config.ts';
import { heldKeys } from '../activities/keys/directory/held-keys.ts';
import { openKeys, watchStolenKeys } from '../activities/keys/directory/live-keys.ts';
import { botOf } from '../activities/meetings/platforms/bot.ts';
import { createConferences } from '../activities/meetings/platforms/conference.ts';
import { createConfBConsent } from '../activities/meetings/platforms/consent.ts';
import { createAttestation } from '../activities/proofs/device/config.ts';
import { createEvidenceStore } from '../activities/proofs/evidence/store.ts';
import { createLivenessProviders } from '../activities/proofs/face/provider/config.ts';
import { codecRing } from '../activities/runtime/codec/config.ts';
import { createDataConverter } from '../activities/runtime/codec/data-converter.ts';
import { loadDevTrust } from '../activities/runtime/config.ts';
import { createLogger } from '../activities/runtime/log.ts';
import { createPlaces } from '../activities/runtime/places.ts';
import { askTemporal, createReadiness } from '../activities/runtime/readiness.ts';
import { temporalTlsOf } from '../activities/runtime/temporal-tls.ts';
import { createTracing } from '../activities/runtime/tracing.ts';
import { createObjectStore } from '../activities/storage/config.ts';
import { openPublicLog } from '../activities/transparency/open-log.ts';
import { createPublishedLists } from '../activities/vendors/published-lists.ts';
import { openDb, type Db } from '../db/client.ts';
import { randomIds } from '../db/ids.ts';
import { ping } from '../db/queries/ping.ts';
import { createSealer } from '../db/sealing/sealed.ts';
import { settingsOf, type ApiConfig } from './config.ts';
import type { Deps, Outside } from './deps.ts';
import { createMetrics } from './metrics.ts';
import { connectTemporal, createTemporal } from './temporal.ts';

/** Each export holds tens of megabytes in memory. */
const exportPlaces = { most: 8, mostOfAccount: 2, retryAfterSeconds: 10 };

/** Creates the dependencies of one API process, with functions that make it unready and stop it. */
export async function makeDeps(
  config: ApiConfig,
): Promise<{ deps: Deps; drain: () => void; stop: () => Promise<void> }> {
  const log = createLogger('api', config.LOG_LEVEL);
  const clock = (): Date => new Date();
  const keys = openKeys({ ...keyPlaceOf(config), holds: heldKeys.api }, log);
  await keys.prove();
  const db = openPool(config, log);
  const stopWatching = await watchStolenKeys(db, keys, log);
  const tracing = await createTracing('trustcheck-api', config.OTEL_EXPORTER_OTLP_ENDPOINT);
  const connection = connectTemporal(config.TEMPORAL_ADDRESS, temporalTlsOf(config));
  const client = new Client({
    connection,
    namespace: config.TEMPORAL_NAMESPACE,
    dataConverter: createDataConverter({
      ring: codecRing(config, keys.secret('temporal-codec')),
      namespace: config.TEMPORAL_NAMESPACE,
      failClosed: config.PROFILE === 'production',
    }),
    plugins: [tracing.plugin],
  });
  const outbox = createOutbox(db, randomIds, clock);
  const trust = loadDevTrust(config, config.PROFILE);
  let isEnding = false;
  const wrapper = createWrapper(config, keys.secret('data-keys'));
  const sealer = createSealer(db, wrapper, keys.secret('blind-index'));
  const store = await createObjectStore(config, () => keys.secret('object-urls'), clock);
  const lists = createPublishedLists(store);
  const held = { lists, keys, clock, log };
  const attestation = createAttestation(config, trust.attestationRootsPem, held);
  const deps: Deps = {
    db,
    temporal: createTemporal(client, config.TEMPORAL_CALL_SECONDS * 1_000),
    keys,
    sealer,
    files: {
      objects: store,
      evidence: createEvidenceStore(store, sealer),
      exports: createPlaces(exportPlaces),
      publicLog: openPublicLog(config, { db, store, keys, clock }),
    },
    attestation,
    outside: outsideOf(config, outbox, clock),
    settings: settingsOf(config),
    ids: randomIds,
    clock,
    telemetry: {
      log,
      metrics: createMetrics({ listAgeMs: () => attestation.listAgeMs() }),
      serve: tracing.serve,
      readiness: createReadiness({
        database: () => ping(db, []),
        temporal: () => askTemporal(connection),
        objects: () => store.health(),
        serving: async () => {
          if (isEnding) throw new Error('ending');
        },
      }),
    },
  };
  const stop = async (): Promise<void> => {
    stopWatching();
    await connection.close();
    await db.end();
    await tracing.stop();
  };
  return { deps, drain: () => void (isEnding = true), stop };
}

function openPool(config: ApiConfig, log: Pick<Logger, 'warn'>): Db {
  const { DATABASE_URL: url, DATABASE_CONNECTIONS_MAX: connectionsMax } = config;
  const options = { url, connectionsMax, applicationName: 'trustcheck-api', isAccountScoped: true };
  return openDb(options, (err) => log.warn({ err }, 'a database connection broke'));
}

function outsideOf(config: ApiConfig, outbox: Outbox, clock: () => Date): Outside {
  const bot = botOf(config);
  const issuers = createIssuers({
    allowPrivate: config.PROFILE === 'development',
    clock,
    ...(bot ? { placed: { [bot.issuer]: bot } } : {}),
  });
  return {
    sms: createSmsSender(config, outbox),
    conferences: createConferences(),
    calendar: createCalendarProvider(config, issuers),
    confB: createConfBConsent(config, issuers),
    faceProviders: createLivenessProviders(config, { ids: randomIds, clock }),
    issuers,
    lookUp: (hostname) => lookup(hostname, { all: true }),
  };
}
