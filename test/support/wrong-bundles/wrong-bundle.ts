import type { BundleRule } from '../../../domain/tokens/bundle-refused.ts';

/** A bundle that must not pass, and the rule that it breaks. */
export interface WrongBundle {
  readonly what: string;
  readonly rule: BundleRule;
  readonly token: string;
}
