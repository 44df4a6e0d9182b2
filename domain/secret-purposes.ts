const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

/**
 * The purposes of secrets that are derived from the master secret. A value of an `expiring` purpose
 * names no version: a verifier tries each version until `lifeMs` after its retirement, or forever
 * if null. A value of a `stored` purpose belongs to a row with its version. A `pinned` purpose
 * stays with one version, because its values cannot be created again.
 * docs/decisions/009-secrets-and-rotation.md
 */
export const secretPurposes = {
  /** Secrets of API keys, derived again when a client repeats the request. */
  'api-key': { kind: 'expiring', lifeMs: dayMs },
  'attest-nonce': { kind: 'expiring', lifeMs: 5 * minuteMs },
  /** `clientState` of subscriptions; no meeting platform keeps one for longer. */
  'conf-b-client-state': { kind: 'expiring', lifeMs: 30 * dayMs },
  /** The nonces that browsers sign: two periods of five minutes. */
  'dpop-nonce': { kind: 'expiring', lifeMs: 10 * minuteMs },
  /** Keyed digests of frames, stored: a new frame is compared under every version. */
  'face-marks': { kind: 'expiring', lifeMs: 90 * dayMs },
  /** Signs the list of revoked device keys in the object store. */
  'key-status': { kind: 'expiring', lifeMs: 7 * dayMs },
  /** A mailed link may have no end. */
  'link-token': { kind: 'expiring', lifeMs: null },
  /** Addresses of the disk store. */
  'object-urls': { kind: 'expiring', lifeMs: 2 * minuteMs },
  'pair-token': { kind: 'expiring', lifeMs: 10 * minuteMs },
  /** Members and participants can use an address for longer than its own ten minutes. */
  'report-urls': { kind: 'expiring', lifeMs: 90 * dayMs },
  /** Secrets of webhook endpoints, derived again when a client repeats the request. */
  'webhook-secret': { kind: 'expiring', lifeMs: dayMs },
  'chip-auth': { kind: 'stored', lifeMs: 4 * dayMs },
  'email-token': { kind: 'stored', lifeMs: 10 * minuteMs },
  'sms-code': { kind: 'stored', lifeMs: 10 * minuteMs },
  'blind-index': { kind: 'pinned' },
  'data-keys': { kind: 'pinned' },
  'temporal-codec': { kind: 'pinned' },
  'transparency-log': { kind: 'pinned' },
} as const satisfies Readonly<Record<string, PurposeKind>>;

type PurposeKind =
  | { readonly kind: 'expiring'; readonly lifeMs: number | null }
  | { readonly kind: 'stored'; readonly lifeMs: number }
  | { readonly kind: 'pinned' };

export type SecretPurpose = keyof typeof secretPurposes;
type PurposeOf<Kind extends PurposeKind['kind']> = {
  [Purpose in SecretPurpose]: (typeof secretPurposes)[Purpose] extends { readonly kind: Kind }
    ? Purpose
    : never;
}[SecretPurpose];

export type ExpiringPurpose = PurposeOf<'expiring'>;
export type StoredPurpose = PurposeOf<'stored'>;
export type PinnedPurpose = PurposeOf<'pinned'>;

/** The first version of every platform, from which pinned purposes are derived. */
export const firstVersion = 1;

/** How long processes may take to load changed key files. */
export const signsOnMsMax = dayMs;

/** Returns how long values of a version are accepted after its retirement; null if forever. */
export function overlapMsOf(purpose: ExpiringPurpose): number | null {
  const { lifeMs } = secretPurposes[purpose];
  return lifeMs === null ? null : signsOnMsMax + lifeMs;
}

/** Time after a retirement until the last value with an end, of any purpose, has expired. */
export const longestOverlapMs: number =
  signsOnMsMax +
  Math.max(
    ...Object.values(secretPurposes).map((purpose) =>
      purpose.kind === 'pinned' ? 0 : (purpose.lifeMs ?? 0),
    ),
  );
