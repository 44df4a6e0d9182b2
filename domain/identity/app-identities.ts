import type {
  AndroidSecurityLevel,
  AppleCategory,
  PlayIntegrityMin,
  PlayTokenNeed,
} from '../names.ts';

/** The app of an app id on Apple's platforms, and its accepted builds. */
export interface AppleIdentity {
  team_id: string;
  bundle_id: string;
  /** Accepted builds, and whether a build must state its category; absent if not configured. */
  categories?: AppleCategory[] | undefined;
  category_required?: boolean | undefined;
  bundle_versions?: string[] | undefined;
}

/** The app of an app id on Android, and the accepted phones. */
export interface AndroidIdentity {
  package: string;
  signature_digests: string[];
  /** Minimum statements of Google Play about a phone, if it is used; absent if not configured. */
  version_min?: number | undefined;
  integrity_min?: PlayIntegrityMin | undefined;
  /** Whether each check needs a token of its own; optional if not configured. */
  play_token?: PlayTokenNeed | undefined;
  /** Minimum statements of the key's attestation; absent if not configured. */
  security_level_min?: AndroidSecurityLevel | undefined;
  /** Year and month, such as 202609. */
  patch_level_min?: number | undefined;
}
