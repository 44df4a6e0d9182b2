import { TokenRefused } from './token-refused.ts';

/**
 * Every rule for a verification bundle, in the order of checking, with the reason for the log. A
 * caller receives none of them: each refusal is the same 401.
 */
export const bundleRules = {
  size: 'it is over 8 KiB',
  form: 'it is no compact JWS in one spelling',
  alg: 'its algorithm is not ES256',
  header: 'its header points to keys or changes the processing',
  typ: 'it is a token of another kind',
  kid: 'its key is not a current one of its subject',
  signature: 'the key it names has not signed it',
  chain: 'its certificate does not lead to our root through the people CA',
  revocation: 'its CA or its device was revoked',
  issuer: 'its issuer is not the key set of its subject',
  audience: 'it was made for somebody else',
  nonce: 'its nonce is no live challenge of ours',
  jti: 'it was used before',
  lifetime: 'it is not current, or lives too long',
  verified_claims: 'the claims it carries are not ours, not current or of another person or key',
  acr: 'its assurance is not that of a certified key',
  account: 'its subject may not act where the call wants to',
} as const;

export type BundleRule = keyof typeof bundleRules;

/** A bundle that broke a rule. */
export class BundleRefused extends TokenRefused<BundleRule> {
  constructor(rule: BundleRule) {
    super(rule, bundleRules[rule]);
  }
}

/** @throws BundleRefused unless the rule holds */
export function assertRule(rule: BundleRule, holds: boolean): asserts holds {
  if (!holds) throw new BundleRefused(rule);
}
