import { attestNonceLifeMs } from '../../../domain/tokens/attest-nonce.ts';
import { html, type Markup } from '../../http/html/markup.ts';
import { operations, type Operation } from '../operations.ts';
import { memberTable } from './member-table.ts';
import { paragraphs } from './descriptions.ts';

const introduction =
  'An enrolled phone signs its calls with the key that was attested at its enrollment: ' +
  'the App Attest key of an iPhone, the Keystore key of an Android phone. The header ' +
  '`attest` is the base64url of a JSON object, at most 16 KiB. Base64url has no ' +
  'padding here (RFC 4648 §5). JSON is UTF-8, without duplicate members. The members ' +
  'of the object are:';

const header = {
  v: '`1`',
  platform: 'the platform of the device, `ios` or `android`',
  device_id: 'the `device_id` of the enrollment response',
  client_data: 'base64url of the signed bytes, described below',
  assertion: 'base64url of the signature over them, described below',
  play_token:
    'a new Google Play token, described below. Only for an Android phone with the proof ' +
    '`device`, if its app requires the token or wants to renew the verdict of the ' +
    'enrollment',
};

const middle =
  '`client_data` is also a JSON object. The signature covers its bytes exactly as you ' +
  'send them, so do not serialize the object again after signing. The order of members ' +
  'and white space do not matter. Its members describe the request:';

const clientData = {
  nonce: 'the last `Attest-Nonce`, unchanged',
  method: 'the HTTP method in upper case',
  path: 'the path with its query, byte for byte as in the request line',
  body_sha256:
    'SHA-256 of the raw body, in lower-case hex; without a body, the hash of no bytes ' +
    '(`e3b0c442…`)',
  iat:
    'time of the signature in whole seconds since 1970; at most one minute ahead of the ' +
    'service, or six behind it',
};

const rest = [
  'On an iPhone, `assertion` is the result of `generateAssertion(_:clientDataHash:)` ' +
    'of App Attest for the SHA-256 of the bytes of `client_data`. It is a CBOR map of ' +
    '`authenticatorData` and `signature`. The signature is ECDSA with SHA-256 over ' +
    'SHA-256(`authenticatorData` ‖ SHA-256(`client_data`)). Its counter must be higher ' +
    'than every accepted one, so a phone must send its calls one after the other. On ' +
    'Android, `assertion` is `SHA256withECDSA` of the attested P-256 key over the bytes ' +
    'of `client_data`, in DER.',
  '`play_token` is the token of a standard request of Play Integrity, at most 8 KiB. ' +
    'Its `requestHash` is the SHA-256 of the nonce followed by the attested public key ' +
    'in DER (SubjectPublicKeyInfo), in base64url without padding. The service reads the ' +
    'token if it queries Play for the app. The new verdict then replaces that of the ' +
    'enrollment.',
  `A nonce is valid for one call and ${attestNonceLifeMs / 60_000} minutes. Each ` +
    'response to a call with the header has the next nonce in `Attest-Nonce`, also an ' +
    'error. To get the first one, send any other text in the header: the response is 401 ' +
    '`attest_nonce_required`. Sign every repeated call again, also with an ' +
    '`Idempotency-Key`.',
  'The service verifies the header after the credential and before the shape of the ' +
    'request, in this order: its form (422 `attest_malformed`), the nonce (401), method ' +
    'and path (403 `request_mismatch`), the body (403 `body_mismatch`), the time (403 ' +
    '`request_mismatch`), the device and its signature (403 with a code for the reason). ' +
    'The nonce is used up even if a later step fails. In the commands of this page, ' +
    '`$ATTEST` is this header. If the variable is unset, curl sends no header.',
].join('\n\n');

/** Describes the `attest` header that `readAttestHeader` and `verifyAttest` accept. */
export function attestSection(): Markup {
  return html`<section aria-labelledby="attest">
    <h1 id="attest">The attest header</h1>
    ${paragraphs(introduction)} ${memberTable(header)} ${paragraphs(middle)}
    ${memberTable(clientData)} ${paragraphs(rest)}
    <p>
      Operations that require it: ${links('required')}. Operations that accept it:
      ${links('accepted')}.
    </p>
  </section>`;
}

function links(attest: Operation['attest']): Markup {
  const [first, ...more] = operations().filter((operation) => operation.attest === attest);
  if (!first) return html`none`;
  return html`${link(first)}${more.map((operation) => html`, ${link(operation)}`)}`;
}

const link = ({ id, tag }: Operation): Markup =>
  html`<a href="/docs/reference/${tag}#${id}">${id}</a>`;
