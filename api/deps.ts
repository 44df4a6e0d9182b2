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
 * Everything a handler may need, made once in a process. Handlers name their share with `Pick`; the
 * router makes for itself what only it needs.
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

/** What is kept in the object store, and what leaves it in bulk. */
export interface Files {
  readonly objects: ObjectStore;
  /** The objects that are sealed, opened. */
  readonly evidence: EvidenceStore;
  readonly exports: Places;
  /** The log of affidavits; its checkpoints lie there, too. */
  readonly publicLog: PublicLog;
}

/** Whom a handler asks outside of the platform. */
export interface Outside {
  readonly sms: SmsSender;
  readonly conferences: Conferences;
  /** The provider of calendars; null where none is configured. */
  readonly calendar: CalendarProvider | null;
  /** Consent to conference platform B; null where none is configured. */
  readonly confB: ConfBConsent | null;
  /** Who may judge faces in our place. */
  readonly faceProviders: LivenessProviders;
  /** Providers of sign-ins: what they publish of themselves. */
  readonly issuers: Issuers;
  /** Asks the name service of this machine. */
  readonly lookUp: Lookup;
}

/** What an operator sees of this process. */
export interface Telemetry {
  readonly log: Logger;
  readonly metrics: Metrics;
  /** Serves a call as a part of its trace. */
  readonly serve: Serve;
  /** Whether database, workflow server and object store answer now. */
  readonly readiness: () => Promise<Readiness>;
}
