import { bundleLifeMsMax, bundleTyp, certAssurance } from '../../../domain/tokens/bundle.ts';
import { tokenBytesMax } from '../../../domain/tokens/jws.ts';
import { html, type Markup } from '../../http/html/markup.ts';
import { memberTable } from './member-table.ts';
import { paragraphs } from './descriptions.ts';

const lifeMinutes = bundleLifeMsMax / 60_000;

const introduction =
  'A person with an enrolled phone signs in with a verification bundle: a compact JWS ' +
  `(RFC 7515) of at most ${tokenBytesMax / 1024} KiB. The signing key of the ` +
  'enrollment signs it, which is the key in its `certificate_chain`. The signature is ' +
  'ES256, the 64 bytes r ‖ s. The header has exactly these members:';

const header = {
  alg: '`ES256`',
  typ: `\`${bundleTyp}\``,
  kid: 'the SHA-256 thumbprint of the signing key (RFC 7638), base64url',
  x5c:
    'optional: the certificates of the key, its own first; they are not used, but must ' +
    'be of the same key',
  'x5t#S256': 'optional: SHA-256 of the key’s own certificate, base64url',
};

const claims = {
  iss:
    '`{base_url}/users/{poly_user_id}`; followed by `/.well-known/jwks.json`, the URL of ' +
    'the keys',
  sub: 'the `poly_user_id` of the enrollment',
  aud:
    'one string: `{base_url}`, `{base_url}/apps/{app_id}` or ' +
    '`{base_url}/accounts/{account_id}`; with an account, the session is limited to it',
  azp:
    'optional: the `app_id` of the app that requested the bundle, with the same effect ' +
    'as in `aud`; if both are present, they must be the same',
  iat: 'whole seconds since 1970, at most one minute ahead of the service',
  nbf: 'optional: like `iat`, and before `exp`',
  exp: `at most ${lifeMinutes} minutes after \`iat\`; accepted up to one minute later`,
  jti: '16 to 128 characters of base64url, unique for this person',
  nonce: 'optional: a `challenge` of `POST /v2/devices/challenge`, which the bundle consumes',
  auth_time: 'optional: when the person authenticated to the phone; not after `iat`',
  acr: `\`${certAssurance}\``,
  amr: 'optional: a list (RFC 8176) that includes `hwk`',
  cnf: 'optional: `{"jkt": kid}` (RFC 7800)',
  _claim_names:
    'optional, together with `_claim_sources`: `{"verified_claims": "p"}` (OpenID ' +
    'Connect Core §5.6.2)',
  _claim_sources:
    'optional, together with `_claim_names`: `{"p": {"JWT": …}}` with the ' +
    '`verified_claims_token` of a passed check of this person and phone, as returned to ' +
    'the holder of its check token. A `verified_claims` by the phone itself is refused',
};

const end =
  'The service verifies the bundle in this order: size, form, header, key, signature, ' +
  'certificate chain, revocation, `iss`, `aud`, `nonce`, `jti`, times, claims, `acr`. ' +
  'Every failure is the same 401 `credential_invalid`; only the log of the API has the ' +
  'reason. `nonce` and `jti` are used up once all earlier steps have passed, even if a ' +
  'later step fails. `npx trustcheck phone login` signs in with a bundle, and `npx ' +
  'trustcheck phone bundle` prints one.';

/** Describes the verification bundle that `verifyBundle` accepts. */
export function bundleSection(): Markup {
  return html`<section aria-labelledby="bundle">
    <h1 id="bundle">The verification bundle</h1>
    ${paragraphs(introduction)} ${memberTable(header)}
    <p>Its claims:</p>
    ${memberTable(claims)} ${paragraphs(end)}
    <p>
      Operations that accept it:
      <a href="/docs/reference/session#session.portalLogin">session.portalLogin</a>,
      <a href="/docs/reference/session#session.token">session.token</a> and
      <a href="/docs/reference/session#session.stepUp">session.stepUp</a>.
    </p>
  </section>`;
}
