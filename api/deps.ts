import type { Logger } from 'pino';
import type { CalendarProvider } from '../activities/calendar/port.ts';
import type { SmsSender } from '../activities/delivery/sms/port.ts';
import type { Issuers } from '../activities/identity/sso/issuers.ts';
import type { PlatformKeys } from '../activities/keys/directory/load-keys.ts';
import type { Conferences } from '../activities/meetings/platforms/conference.ts';
import type { ConfBConsent } from '../activities/meetings/platforms/consent.ts';
import type { Attestation } from '../activities/proofs/device/config.ts';
import type { EvidenceStore } from '../activities/proofs/evidence/store.ts';
import type { Places } from '../activities/runtime/places.ts';
import type { Readiness } from '../activities/runtime/readiness.ts';
import type { Serve } from '../activities/runtime/tracing.ts';
import type { ObjectStore } from '../activities/storage/object-store.ts';
import type { PublicLog } from '../activities/transparency/public-log.ts';
import type { Lookup } from '../activities/vendors/guard.ts';
import type { Db } from '../db/client.ts';
import type { Ids } from '../db/ids.ts';
import type { Sealer } from '../db/sealing/sealed.ts';
import type { LivenessProviders } from '../domain/proofs/face/provider-session.ts';
import type { Settings } from './config.ts';
import type { Metrics } from './metrics.ts';
import type { Temporal } from './temporal.ts';

/**
 * The dependencies of handlers, created once per process. A handler names its own with `Pick`. The
 * router creates those that only it needs.
 */
export interface Deps {
  readonly db: Db;
  readonly temporal: Temporal;
  readonly keys: PlatformKeys;
  readonly sealer: Sealer;
  readonly files: Files;
  readonly attestation: Attestation;
  readonly outside: Outside;
  readonly settings: Settings;
  readonly ids: Ids;
  readonly clock: () => Date;
  readonly telemetry: Telemetry;
}

/** The object store, and the limits of bulk exports. */
export interface Files {
  readonly objects: ObjectStore;
  /** Sealed objects; reads open them. */
  readonly evidence: EvidenceStore;
  readonly exports: Places;
  /** The log of affidavits, with its checkpoints. */
  readonly publicLog: PublicLog;
}

/** External services that handlers call. */
export interface Outside {
  readonly sms: SmsSender;
  readonly conferences: Conferences;
  /** The calendar provider; null where none is configured. */
  readonly calendar: CalendarProvider | null;
  /** Consent to conference platform B; null where it is not configured. */
  readonly confB: ConfBConsent | null;
  /** Providers that can judge faces instead of the service. */
  readonly faceProviders: LivenessProviders;
  /** Published metadata of sign-in providers. */
  readonly issuers: Issuers;
  /** Resolves host names with this machine's resolver. */
  readonly lookUp: Lookup;
}

/** The observability of this process. */
export interface Telemetry {
  readonly log: Logger;
  readonly metrics: Metrics;
  /** Serves a call as part of its trace. */
  readonly serve: Serve;
  /** Whether database, Temporal and object store respond now. */
  readonly readiness: () => Promise<Readiness>;
}
