import { dpopNonceLifeMs } from '../../../domain/tokens/dpop-nonce.ts';
import { html, type Markup } from '../../http/html/markup.ts';
import { memberTable } from './member-table.ts';
import { paragraphs } from './descriptions.ts';

const introduction =
  'The browser or app that runs a check signs each call with a P-256 key of its own (RFC 9449): ' +
  'a browser with one that cannot be exported, a phone with its signing key, the one that ' +
  '`devices.enroll` certifies. The client sends a proof in the header `DPoP` with the begin. The ' +
  'check token of the answer is bound to that key (`cnf.jkt`, RFC 7800): with every call the ' +
  'client sends `Authorization: Bearer` with the token, and a new proof in `DPoP`. A proof is a ' +
  'compact JWS of at most 4 KiB. Its header is:';

const header = {
  typ: '`dpop+jwt`',
  alg: '`ES256`',
  jwk: 'the public key: `kty`, `crv`, `x` and `y`, never a private member',
};

const middle = 'Its claims are:';

const claims = {
  jti: 'a text of at most 128 characters that no other proof of the key has',
  htm: 'the method, in upper case',
  htu: 'the whole address without its query and fragment',
  iat: 'when it was signed, in seconds since 1970; a wrong clock does no harm',
  nonce: 'the last `DPoP-Nonce`, as it came',
  ath: 'base64url of the SHA-256 of the token in `Authorization`; left out where none is sent',
  body_sha256: 'base64url of the SHA-256 of the body; left out where there is no body',
};

const rest = [
  'Every answer to a signed call has a nonce in `DPoP-Nonce`, refusals too. A nonce is accepted ' +
    `for ${dpopNonceLifeMs / 120_000} to ${dpopNonceLifeMs / 60_000} minutes and signs any ` +
    'number of proofs. The first one comes with the 401 `use_dpop_nonce` to a proof without one: ' +
    'sign again, at once. A proof is good for one request; a repeated request is signed anew.',
  'A request without a proof is 401 `dpop_proof_required`. A proof that does not hold is 401 ' +
    '`invalid_dpop_proof`, and `rule` names the claim. A phone pairs only a check whose token is ' +
    'bound to its signing key. A socket sends `auth: {token, proof}`, with a proof for `GET` of ' +
    '`/socket.io/`. The client of the repository does all of this with `createBrowserKey`.',
].join('\n\n');

/** What the `DPoP` header is made of, as `readDpopProof` reads it. */
export function dpopSection(): Markup {
  return html`<section aria-labelledby="dpop">
    <h1 id="dpop">The DPoP header</h1>
    ${paragraphs(introduction)} ${memberTable(header)} ${paragraphs(middle)} ${memberTable(claims)}
    ${paragraphs(rest)}
  </section>`;
}
