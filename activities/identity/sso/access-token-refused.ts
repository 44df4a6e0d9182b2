import { TokenRefused } from '../../../domain/tokens/token-refused.ts';

/**
 * Every rule for access tokens of a provider, in the order of the checks, with the reason for the
 * log. Callers always get the same 401, without the rule.
 */
export const accessTokenRules = {
  provider: 'there is no such provider, or it is switched off',
  size: 'it is over 16 KiB',
  form: 'it is no compact JWS in one spelling, or no bearer token at all',
  alg: 'its algorithm is none of RS256, PS256 and ES256, or its issuer does not advertise it',
  header: 'its header points to keys or changes the processing',
  typ: 'it is a token of another kind',
  kid: 'its issuer publishes no such key',
  signature: 'the key it names has not signed it',
  active: 'its issuer says it is not active',
  issuer: 'it is of another issuer',
  audience: 'it was issued for another audience',
  client: 'it was given to another client',
  use: 'it is an ID token, a refresh token or bound to a key',
  lifetime: 'it is not current',
  subject: 'it names no subject',
  userinfo: 'its issuer says nothing about its subject by it, or speaks of another',
  groups: 'its groups were left out: they are too many for the token',
  email: 'the address of its subject is revoked, or another subject has it',
  service: 'it speaks of another service than the message it came with',
  service_host: 'the host of its service is not on the list',
  channel: 'it came with a message of another channel than that of the meeting platform',
  endorsement: 'the key that signed it is not endorsed for the channel of the message',
  role: 'no group of its subject holds a role here',
} as const;

export type AccessTokenRule = keyof typeof accessTokenRules;

/** An access token that broke a rule. */
export class AccessTokenRefused extends TokenRefused<AccessTokenRule> {
  constructor(rule: AccessTokenRule) {
    super(rule, accessTokenRules[rule]);
  }
}

/** @throws AccessTokenRefused unless the rule holds */
export function assertRule(rule: AccessTokenRule, holds: boolean): asserts holds {
  if (!holds) throw new AccessTokenRefused(rule);
}
