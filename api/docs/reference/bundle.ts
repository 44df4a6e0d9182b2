import { bundleLifeMsMax, bundleTyp, certAssurance } from '../../../domain/tokens/bundle.ts';
import { tokenBytesMax } from '../../../domain/tokens/jws.ts';
import { html, type Markup } from '../../http/html/markup.ts';
import { memberTable } from './member-table.ts';
import { paragraphs } from './descriptions.ts';

const lifeMinutes = bundleLifeMsMax / 60_000;

const introduction =
  'Whose phone is enrolled signs in with a verification bundle: a compact JWS (RFC 7515) by the ' +
  'signing key of the enrollment, the one its `certificate_chain` certifies, of at most ' +
  `${tokenBytesMax / 1024} KiB. Its signature is ES256, the 64 bytes r ‖ s. Its header has these ` +
  'members and no others:';

const header = {
  alg: '`ES256`',
  typ: `\`${bundleTyp}\``,
  kid: 'the SHA-256 thumbprint of the signing key (RFC 7638), base64url',
  x5c: 'optional: the certificates of the key, its own first; not used, but of the same key',
  'x5t#S256': 'optional: SHA-256 of the key’s own certificate, base64url',
};

const claims = {
  iss: '`{base_url}/users/{poly_user_id}`; with `/.well-known/jwks.json` behind it, the keys',
  sub: 'the `poly_user_id` of the enrollment',
  aud:
    'one text: `{base_url}`, `{base_url}/apps/{app_id}` or `{base_url}/accounts/{account_id}`, ' +
    'the account then being the one of the session, and the only one',
  azp: 'optional: the `app_id` of the app that had it made, as `aud` would; the same where both do',
  iat: 'whole seconds since 1970, at most a minute ahead of us',
  nbf: 'optional: as `iat`, and before `exp`',
  exp: `after \`iat\`, by at most ${lifeMinutes} minutes; taken up to a minute later`,
  jti: '16 to 128 characters of base64url, never used before by this person',
  nonce: 'optional: a `challenge` of `POST /v2/devices/challenge`, which is spent by it',
  auth_time: 'optional: when the person showed themselves to the phone; not after `iat`',
  acr: `\`${certAssurance}\``,
  amr: 'optional: a list (RFC 8176) with `hwk` in it',
  cnf: 'optional: `{"jkt": kid}` (RFC 7800)',
  _claim_names: 'optional, with the next: `{"verified_claims": "p"}` (OpenID Connect Core §5.6.2)',
  _claim_sources:
    'optional, with the one before: `{"p": {"JWT": …}}` with the `verified_claims_token` of a ' +
    'passed check of this person and this phone, as the holder of its check token reads it; a ' +
    '`verified_claims` of the phone’s own is refused',
};

const end =
  'It is judged in this order: size, form, header, key, signature, certificate chain, ' +
  'revocation, `iss`, `aud`, `nonce`, `jti`, times, claims, `acr`. Every fault is the same 401 ' +
  '`credential_invalid`; which it was stands in the log of the API. `nonce` and `jti` are spent ' +
  'once all before them held, whatever comes after. `npx trustcheck phone login` signs in with ' +
  'one, and `npx trustcheck phone bundle` prints one.';

/** What a verification bundle is made of, as `verifyBundle` reads it. */
export function bundleSection(): Markup {
  return html`<section aria-labelledby="bundle">
    <h1 id="bundle">The verification bundle</h1>
    ${paragraphs(introduction)} ${memberTable(header)}
    <p>Its claims:</p>
    ${memberTable(claims)} ${paragraphs(end)}
    <p>
      It is taken by <a href="/docs/reference/session#session.portalLogin">session.portalLogin</a>,
      by <a href="/docs/reference/session#session.token">session.token</a> and by
      <a href="/docs/reference/session#session.stepUp">session.stepUp</a>.
    </p>
  </section>`;
}
