import type { Logger } from 'pino';
import type { Attestation } from '../activities/attestation/config.ts';
import type { PlatformKeys } from '../activities/certificates/load-keys.ts';
import type { EvidenceStore } from '../activities/evidence/evidence-store.ts';
import type { Serve } from '../activities/tracing.ts';
import type { Readiness } from '../activities/readiness.ts';
import type { ObjectStore } from '../activities/storage/object-store.ts';
import type { SmsSender } from '../activities/sms/port.ts';
import type { Lookup } from '../activities/webhooks/guard.ts';
import type { Db } from '../db/client.ts';
import type { Ids } from '../db/ids.ts';
import type { Sealer } from '../db/sealed.ts';
import type { Exports } from './exports.ts';
import type { Limiter } from './limits.ts';
import type { Settings } from './config.ts';
import type { Metrics } from './metrics.ts';
import type { Pages } from './pages.ts';
import type { Temporal } from './temporal.ts';

/** Everything a handler may need, made once in a process. Handlers name their share with `Pick`. */
export interface Deps {
  readonly db: Db;
  readonly temporal: Temporal;
  readonly keys: PlatformKeys;
  readonly store: ObjectStore;
  readonly evidence: EvidenceStore;
  readonly attestation: Attestation;
  readonly sms: SmsSender;
  readonly sealer: Sealer;
  readonly limiter: Limiter;
  readonly exports: Exports;
  readonly pages: Pages;
  readonly metrics: Metrics;
  readonly serve: Serve;
  /** Whether database, workflow server and object store answer now. */
  readonly readiness: () => Promise<Readiness>;
  readonly settings: Settings;
  /** Asks the name service of this machine. */
  readonly lookUp: Lookup;
  readonly ids: Ids;
  readonly clock: () => Date;
  readonly log: Logger;
}
