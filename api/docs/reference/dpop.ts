import { dpopNonceLifeMs } from '../../../domain/tokens/dpop-nonce.ts';
import { html, type Markup } from '../../http/html/markup.ts';
import { memberTable } from './member-table.ts';
import { paragraphs } from './descriptions.ts';

const introduction =
  'The browser or app that runs a check signs each call with its own P-256 key (RFC ' +
  '9449). A browser uses a key that cannot be exported. A phone uses its signing key, ' +
  'which `devices.enroll` certifies. The client sends a proof in the header `DPoP` ' +
  'when it begins the check. The check token of the response is bound to that key ' +
  '(`cnf.jkt`, RFC 7800). With every call, the client sends `Authorization: Bearer` ' +
  'with the token and a new proof in `DPoP`. A proof is a compact JWS of at most 4 ' +
  'KiB. Its header is:';

const header = {
  typ: '`dpop+jwt`',
  alg: '`ES256`',
  jwk: 'the public key: `kty`, `crv`, `x` and `y`, without private members',
};

const middle = 'Its claims are:';

const claims = {
  jti: 'a string of at most 128 characters, unique among the proofs of the key',
  htm: 'the HTTP method, in upper case',
  htu: 'the whole URL without query and fragment',
  iat: 'time of the signature in seconds since 1970; a wrong clock does no harm',
  nonce: 'the last `DPoP-Nonce`, unchanged',
  ath: 'base64url of the SHA-256 of the token in `Authorization`; omitted without a token',
  body_sha256: 'base64url of the SHA-256 of the body; omitted without a body',
};

const rest = [
  'Every response to a signed call has a nonce in `DPoP-Nonce`, also an error. A nonce ' +
    `is accepted for ${dpopNonceLifeMs / 120_000} to ${dpopNonceLifeMs / 60_000} minutes ` +
    'and for any number of proofs. To get the first one, send a proof without a nonce: ' +
    'the response is 401 `use_dpop_nonce`. Sign again at once. A proof is valid for one ' +
    'request; sign a repeated request again.',
  'A request without a proof is 401 `dpop_proof_required`. An invalid proof is 401 ' +
    '`invalid_dpop_proof`, and `rule` names the claim. A phone can only pair a check ' +
    'with a token that is bound to its signing key. A socket sends `auth: {token, ' +
    'proof}`, with a proof for `GET` of `/socket.io/`. The client of the repository does ' +
    'all of this with `createBrowserKey`.',
].join('\n\n');

/** Describes the `DPoP` header that `readDpopProof` accepts. */
export function dpopSection(): Markup {
  return html`<section aria-labelledby="dpop">
    <h1 id="dpop">The DPoP header</h1>
    ${paragraphs(introduction)} ${memberTable(header)} ${paragraphs(middle)} ${memberTable(claims)}
    ${paragraphs(rest)}
  </section>`;
}
