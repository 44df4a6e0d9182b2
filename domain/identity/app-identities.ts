import type {
  AndroidSecurityLevel,
  AppleCategory,
  PlayIntegrityMin,
  PlayTokenNeed,
} from '../names.ts';

/** The app of an app id on Apple's platforms, and which builds of it are accepted. */
export interface AppleIdentity {
  team_id: string;
  bundle_id: string;
  /** Which builds are taken, and whether one has to say; absent where nothing was chosen. */
  categories?: AppleCategory[] | undefined;
  category_required?: boolean | undefined;
  bundle_versions?: string[] | undefined;
}

/** The app of an app id on Android, and which phones are accepted. */
export interface AndroidIdentity {
  package: string;
  signature_digests: string[];
  /** What Google Play has to say of a phone, where it is asked; absent where nothing was chosen. */
  version_min?: number | undefined;
  integrity_min?: PlayIntegrityMin | undefined;
  /** Whether each check brings a token of its own; optional where nothing was chosen. */
  play_token?: PlayTokenNeed | undefined;
  /** What the attestation of its key has to say; absent where nothing was chosen. */
  security_level_min?: AndroidSecurityLevel | undefined;
  /** Year and month, as 202609. */
  patch_level_min?: number | undefined;
}
