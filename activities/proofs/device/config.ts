import { readFile, stat } from 'node:fs/promises';
import { z } from 'zod';
import { googleRootPems } from '../../../domain/proofs/device/android/google-roots.ts';
import { entriesOf } from '../../../domain/proofs/device/android/status-list.ts';
import { appAttestationRootPem } from '../../../domain/proofs/device/apple/apple-roots.ts';
import {
  createRevocationListCache,
  type RevocationListCacheOptions,
} from './google/revocation-list-cache.ts';
import { createPlayIntegrity, playConfig, type PlayIntegrity } from './google/play-integrity.ts';
import { createRevocationList, type RevocationList } from './google/revocation-list.ts';
import type { AttestationTrust } from './judge-enrollment.ts';

/** Settings of the list of revoked Android keys. */
export const statusListConfig = z.object({
  ANDROID_STATUS_LIST_URL: z
    .url({ protocol: /^(https|file)$/ })
    .default('https://android.googleapis.com/attestation/status')
    .describe(
      'URL of the list of revoked Android keys (`https:` or `file:`), fetched every hour. ' +
        'Without a list from the last 7 days, the API answers 503 to Android phones.',
    ),
});

/** Settings of device attestation. */
export const attestationConfig = z.object({ ...statusListConfig.shape, ...playConfig.shape });

/** What the API validates devices against. */
export interface Attestation {
  readonly trust: AttestationTrust;
  readonly play: PlayIntegrity;
  /**
   * Returns the published entries for the certificates of this chain, in the publisher's form. That
   * is enough for the verdict and the auditor, without thousands of other entries.
   * @throws Failure `dependency_unavailable` when the list is unavailable or too old
   */
  revocationOf(chain: readonly Uint8Array[]): Promise<{ entries: Record<string, unknown> }>;
  /** Reports whether a serial number is on the list now. Throws like `revocationOf`. */
  isListed(serials: readonly string[]): Promise<boolean>;
  /**
   * Returns the age of the cached list: infinite where there is none, null before the first read.
   */
  listAgeMs(): number | null;
}

/** Maximum age of a list: without a newer one, no device is judged. */
const statusListAgeMsMax = 7 * 24 * 3600_000;

interface Profile {
  readonly PROFILE: 'development' | 'production';
}

/** Creates the client of the list's publisher. */
export function createPublisher(
  config: z.output<typeof statusListConfig> & Profile,
  clock: () => Date,
): { readonly url: string; readonly publisher: RevocationList } {
  const { protocol, href } = new URL(config.ANDROID_STATUS_LIST_URL);
  // In development the list is our own file, and its age does not matter.
  const isOwn = config.PROFILE === 'development';
  const ageOf = (mtimeMs: number): number => (isOwn ? 0 : clock().getTime() - mtimeMs);
  const publisher = createRevocationList({
    fetch: protocol === 'file:' ? (input) => fetchFile(input, ageOf) : fetch,
    url: href,
    clock,
    ageMaxMs: statusListAgeMsMax,
  });
  return { url: href, publisher };
}

/**
 * Creates what devices are validated against. Development roots are added to the vendors' roots,
 * and never replace them.
 */
export function createAttestation(
  config: z.output<typeof attestationConfig> & Profile,
  developmentRootsPem: string | null,
  deps: Pick<RevocationListCacheOptions, 'lists' | 'keys' | 'clock' | 'log'>,
): Attestation {
  const { clock } = deps;
  const published = createPublisher(config, clock);
  const held = createRevocationListCache({ ...deps, ...published, ageMaxMs: statusListAgeMsMax });
  return {
    trust: {
      environment: config.PROFILE,
      developmentRootsPem,
      appleRootPem: appAttestationRootPem,
      googleRootPems,
    },
    play: createPlayIntegrity(config, clock),
    async revocationOf(chain) {
      const { list } = await held.current();
      return { entries: entriesOf(list, chain) };
    },
    async isListed(serials) {
      const { list } = await held.current();
      return serials.some((serial) => list.entries.has(serial));
    },
    listAgeMs: () => held.ageMs(),
  };
}

/** Reads a file as an HTTP response. The `age` header makes the client reject an old copy. */
const fetchFile = async (
  input: string | URL | Request,
  ageOf: (mtimeMs: number) => number,
): Promise<Response> => {
  const url = new URL(input instanceof Request ? input.url : input);
  const { mtimeMs } = await stat(url);
  const ageSeconds = Math.max(0, Math.floor(ageOf(mtimeMs) / 1000));
  return new Response(await readFile(url), { headers: { age: String(ageSeconds) } });
};
