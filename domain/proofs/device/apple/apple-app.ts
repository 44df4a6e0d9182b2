import type { AppleIdentity } from '../../../identity/app-identities.ts';
import type { AppleCategory } from '../../../names.ts';
import type { RuleAnswer } from '../../verdict.ts';
import { sha256, type AppExtensions } from './authenticator-data.ts';

export type AppleEnvironment = 'production' | 'development';

/** The app that an Apple proof must name. */
export interface AppleApp {
  readonly teamId: string;
  readonly bundleId: string;
}

export interface CategoryPolicy {
  readonly environment?: AppleEnvironment | undefined;
  /** The allowed validation categories; default: the environment's own. */
  readonly categories?: readonly number[] | undefined;
  /** Whether to refuse proofs without a category, which come from iOS 26 and older. */
  readonly requireCategory?: boolean | undefined;
  /** The only accepted versions of the build (CFBundleVersion); all if absent. */
  readonly bundleVersions?: readonly string[] | undefined;
}

/** The input of an attestation or assertion: the data, or its hash. */
export interface ClientData {
  readonly clientData?: Uint8Array | undefined;
  readonly clientDataHash?: Uint8Array | undefined;
}

export const appIdOf = ({ teamId, bundleId }: AppleApp): string => `${teamId}.${bundleId}`;

/** App Store; development. TestFlight (2) and others only if the policy names them. */
const ownCategories: Readonly<Record<AppleEnvironment, readonly number[]>> = {
  production: [4],
  development: [3],
};

/**
 * Returns the SHA-256 of the client data. A given hash must have 32 bytes and match the data if
 * both are given. So a raw challenge in its place, as in Apple's documentation, is refused. Null if
 * the hash cannot be determined.
 */
export function clientDataHashOf({ clientData, clientDataHash }: ClientData): Uint8Array | null {
  const hashed = clientData && sha256(clientData);
  if (!clientDataHash) return hashed ?? null;
  if (clientDataHash.length !== 32) return null;
  return hashed && !hashed.equals(clientDataHash) ? null : clientDataHash;
}

/** Judges how the build reached the device; this reveals a copy that someone else signed again. */
export function judgeCategory({ category }: AppExtensions, policy: CategoryPolicy): RuleAnswer {
  const allowed = policy.categories ?? ownCategories[policy.environment ?? 'production'];
  if (category === undefined) {
    return policy.requireCategory
      ? { fault: 'category_refused', detail: 'none is given' }
      : { skipped: 'none is given, as up to iOS 26' };
  }
  return allowed.includes(category)
    ? { ok: true }
    : { fault: 'category_refused', detail: `category ${category}` };
}

/**
 * Judges the build version; runs only if the policy names versions. A missing version is refused.
 */
export function judgeBundleVersion(
  { bundleVersion }: AppExtensions,
  { bundleVersions = [] }: CategoryPolicy,
): RuleAnswer {
  if (bundleVersion === undefined) {
    return { fault: 'bundle_version_refused', detail: 'none is given' };
  }
  return bundleVersions.includes(bundleVersion)
    ? { ok: true }
    : { fault: 'bundle_version_refused', detail: `version ${bundleVersion.slice(0, 40)}` };
}

/** Apple's numbers of the categories. */
const categoryNumbers: Readonly<Record<AppleCategory, number>> = {
  testflight: 2,
  development: 3,
  app_store: 4,
  enterprise: 5,
  developer_id: 6,
};

/** Returns an app's choice of builds in the form of an evidence file's policy. */
export function buildPolicyOf(app: AppleIdentity): Readonly<Record<string, unknown>> {
  const { categories, category_required: isRequired, bundle_versions: versions } = app;
  return {
    ...(categories && { categories: categories.map((name) => categoryNumbers[name]) }),
    ...(isRequired === undefined ? {} : { require_category: isRequired }),
    ...(versions && { bundle_versions: versions }),
  };
}
