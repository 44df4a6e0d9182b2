import type { AccessTokenRule } from '../../../activities/identity/sso/access-token-refused.ts';
import type { SsoProviderRow } from '../../../db/queries/sso-providers.ts';
import { accessToken, ssoClient, type KeyedIssuer } from '../../support/people/sso.ts';

/** An access token that must be rejected, and the first rule it breaks. */
export interface Forged {
  readonly what: string;
  readonly rule: AccessTokenRule;
  readonly token: string;
  readonly row?: Partial<SsoProviderRow>;
}

/** Returns tokens that are signed by their issuer, with forbidden claims. */
export function forgedClaims(of: KeyedIssuer): Forged[] {
  const { issuer } = of.issuer;
  const at = Math.floor(Date.now() / 1000);
  const wrong: Partial<Record<AccessTokenRule, Record<string, readonly unknown[]>>> = {
    issuer: {
      iss: [
        `${issuer}/`,
        issuer.toUpperCase(),
        `${issuer}#`,
        `${issuer}@a.test`,
        'https://login.example.test',
        [issuer],
        null,
        undefined,
      ],
    },
    audience: {
      aud: [
        'another',
        ssoClient.clientId.toUpperCase(),
        `${ssoClient.clientId} another`,
        [],
        ['another'],
        [[ssoClient.clientId]],
        [ssoClient.clientId, 7],
        { 0: ssoClient.clientId },
        7,
        null,
        undefined,
      ],
    },
    client: {
      client_id: ['another', '', 7, null, [ssoClient.clientId], undefined],
      azp: ['another', 7],
      cid: ['another'],
      appid: ['00000003-0000-0000-c000-000000000000'],
    },
    lifetime: {
      exp: [at, at - 1, at - 86_400, 0, -1, `${at + 600}`, at + 0.5, 1e300, null, undefined],
      nbf: [at + 120, `${at}`, -1, null],
      iat: [at + 120, `${at}`, 1.5, undefined],
    },
    subject: { sub: ['', ' ', 7, null, ['root'], 'x'.repeat(256), 'a\u0000b', 'a\nb', undefined] },
  };
  return Object.entries(wrong).flatMap(([rule, byName]) =>
    Object.entries(byName).flatMap(([name, values]) =>
      values.map((value): Forged => ({
        what: `${name} ${JSON.stringify(value)?.slice(0, 60)}`,
        rule: rule as AccessTokenRule,
        token: accessToken(of, { [name]: value }),
      })),
    ),
  );
}
