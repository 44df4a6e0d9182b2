import { readFile, stat } from 'node:fs/promises';
import { z } from 'zod';
import { googleRootPems } from '../../../domain/proofs/device/android/google-roots.ts';
import { entriesOf } from '../../../domain/proofs/device/android/status-list.ts';
import { appAttestationRootPem } from '../../../domain/proofs/device/apple/apple-roots.ts';
import { holdRevocationList, type HeldListOptions } from './google/held-list.ts';
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

/** What the API holds devices against. */
export interface Attestation {
  readonly trust: AttestationTrust;
  readonly play: PlayIntegrity;
  /**
   * What the vendor has published of the certificates of this chain, in the form it publishes:
   * enough for the verdict and for the auditor, without the thousands of others.
   * Throws `dependency_unavailable` when the list is not to be had or too old.
   */
  revocationOf(chain: readonly Uint8Array[]): Promise<{ entries: Record<string, unknown> }>;
  /** Whether one of these serial numbers is on the list now. Throws as `revocationOf`. */
  isListed(serials: readonly string[]): Promise<boolean>;
  /** How old the list at hand is: infinitely where there is none, null where nobody looked yet. */
  listAgeMs(): number | null;
}

/** A list that is older than this judges nobody. */
const statusListAgeMsMax = 7 * 24 * 3600_000;

interface Profile {
  readonly PROFILE: 'development' | 'production';
}

/** Whoever publishes the list of revoked keys, asked itself. */
export function createPublisher(
  config: z.output<typeof statusListConfig> & Profile,
  clock: () => Date,
): { readonly url: string; readonly publisher: RevocationList } {
  const { protocol, href } = new URL(config.ANDROID_STATUS_LIST_URL);
  // Nobody renews the list of the simulator's makers, which is our own.
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
 * Makes what devices are held against. Development roots stand beside the vendors', never alone.
 */
export function createAttestation(
  config: z.output<typeof attestationConfig> & Profile,
  developmentRootsPem: string | null,
  deps: Pick<HeldListOptions, 'lists' | 'keys' | 'clock' | 'log'>,
): Attestation {
  const { clock } = deps;
  const published = createPublisher(config, clock);
  const held = holdRevocationList({ ...deps, ...published, ageMaxMs: statusListAgeMsMax });
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

/** A file as a web server would answer for it: its age is told, so that an old copy is refused. */
const fetchFile = async (
  input: string | URL | Request,
  ageOf: (mtimeMs: number) => number,
): Promise<Response> => {
  const url = new URL(input instanceof Request ? input.url : input);
  const { mtimeMs } = await stat(url);
  const ageSeconds = Math.max(0, Math.floor(ageOf(mtimeMs) / 1000));
  return new Response(await readFile(url), { headers: { age: String(ageSeconds) } });
};
