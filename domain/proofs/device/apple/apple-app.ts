import type { AppleIdentity } from '../../../identity/app-identities.ts';
import type { AppleCategory } from '../../../names.ts';
import type { RuleAnswer } from '../../verdict.ts';
import { sha256, type AppExtensions } from './authenticator-data.ts';

export type AppleEnvironment = 'production' | 'development';

/** Which app an Apple proof must speak of. */
export interface AppleApp {
  readonly teamId: string;
  readonly bundleId: string;
}

export interface CategoryPolicy {
  readonly environment?: AppleEnvironment | undefined;
  /** The validation categories that are allowed; by default the environment's own. */
  readonly categories?: readonly number[] | undefined;
  /** Refuse proofs without one, which are those of iOS 26 and older. */
  readonly requireCategory?: boolean | undefined;
  /** The only versions of the build that are taken, if not all are (CFBundleVersion). */
  readonly bundleVersions?: readonly string[] | undefined;
}

/** What an attestation or assertion is made over: as it is, or hashed already. */
export interface ClientData {
  readonly clientData?: Uint8Array | undefined;
  readonly clientDataHash?: Uint8Array | undefined;
}

export const appIdOf = ({ teamId, bundleId }: AppleApp): string => `${teamId}.${bundleId}`;

/** App Store; development. TestFlight (2) and others only where the policy names them. */
const ownCategories: Readonly<Record<AppleEnvironment, readonly number[]>> = {
  production: [4],
  development: [3],
};

/**
 * SHA-256 of the client data. A hash that is given must be of 32 bytes (a raw challenge in its
 * place, as in Apple's documentation, is not taken) and agree with the data when both are given.
 * Null when it cannot be told.
 */
export function clientDataHashOf({ clientData, clientDataHash }: ClientData): Uint8Array | null {
  const hashed = clientData && sha256(clientData);
  if (!clientDataHash) return hashed ?? null;
  if (clientDataHash.length !== 32) return null;
  return hashed && !hashed.equals(clientDataHash) ? null : clientDataHash;
}

/** How the build reached the device; a copy signed again by somebody else shows here. */
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

/** Asked where the policy names versions: a build that says none is not one of them. */
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

/** As Apple numbers the categories. */
const categoryNumbers: Readonly<Record<AppleCategory, number>> = {
  testflight: 2,
  development: 3,
  app_store: 4,
  enterprise: 5,
  developer_id: 6,
};

/** What an app chose of the builds that are taken, as the policy of an evidence file. */
export function buildPolicyOf(app: AppleIdentity): Readonly<Record<string, unknown>> {
  const { categories, category_required: isRequired, bundle_versions: versions } = app;
  return {
    ...(categories && { categories: categories.map((name) => categoryNumbers[name]) }),
    ...(isRequired === undefined ? {} : { require_category: isRequired }),
    ...(versions && { bundle_versions: versions }),
  };
}
