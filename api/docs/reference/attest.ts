import { attestNonceLifeMs } from '../../../domain/tokens/attest-nonce.ts';
import { html, type Markup } from '../../http/html/markup.ts';
import { operations, type Operation } from '../operations.ts';
import { memberTable } from './member-table.ts';
import { paragraphs } from './descriptions.ts';

const introduction =
  'A phone that was enrolled signs its calls with the key that was attested at its enrollment: ' +
  'the App Attest key of an iPhone, the Keystore key of an Android phone. The header `attest` ' +
  'is the base64url of a JSON object, at most 16 KiB. Here and inside, base64url has no padding ' +
  '(RFC 4648 §5), and JSON is UTF-8 with no member twice. The object is:';

const header = {
  v: '`1`',
  platform: '`ios` or `android`, that of the device',
  device_id: 'what the enrollment answered',
  client_data: 'base64url of what is signed, below',
  assertion: 'base64url of the signature over it, below',
  play_token:
    'of an Android phone with the proof `device`, where its app is asked for it or would renew ' +
    'what was said at the enrollment: what Google Play says of the phone now, below',
};

const middle =
  '`client_data` is a JSON object, too. What is signed is its bytes as they are sent: their ' +
  'order and white space do not matter, but they are not written anew before or after signing. ' +
  'It says which request this is:';

const clientData = {
  nonce: 'the last `Attest-Nonce`, as it came',
  method: 'in upper case',
  path: 'path with query, byte for byte as in the request line',
  body_sha256:
    'SHA-256 of the raw body, hex in lower case; of no bytes where there is none (`e3b0c442…`)',
  iat: 'when it was signed: whole seconds since 1970, at most a minute ahead of us, six behind',
};

const rest = [
  'On an iPhone `assertion` is what `generateAssertion(_:clientDataHash:)` of App Attest gives ' +
    'for the SHA-256 of the bytes of `client_data`: a CBOR map of `authenticatorData` and ' +
    '`signature`, the latter ECDSA with SHA-256 over SHA-256(`authenticatorData` ‖ ' +
    'SHA-256(`client_data`)). Its counter has to be higher than any that was taken before, so ' +
    'that a phone calls one after the other. On Android `assertion` is `SHA256withECDSA` of the ' +
    'attested P-256 key over the bytes of `client_data` themselves, in DER.',
  '`play_token` is the token of a standard request of Play Integrity, at most 8 KiB. Its ' +
    '`requestHash` is SHA-256 of the nonce as it came followed by the attested public key in DER ' +
    '(SubjectPublicKeyInfo), base64url without padding. It is read where this service asks Play ' +
    'about the app, and then stands in the place of what Play said at the enrollment.',
  `A nonce is good for one call and ${attestNonceLifeMs / 60_000} minutes. Where the header is ` +
    'judged the answer carries the next in `Attest-Nonce`, a refusal too; the first comes with ' +
    'the 401 `attest_nonce_required` to a call with any other text in its place. What is ' +
    'repeated, under an `Idempotency-Key` too, is signed anew.',
  'It is judged after the credential and before the shape of the request: its form (422 ' +
    '`attest_malformed`), the nonce (401), method and path (403 `request_mismatch`), the body ' +
    '(403 `body_mismatch`), the time (403 `request_mismatch`), the device and its signature (403 ' +
    'with the code that says why). A nonce is spent whatever comes after it. Where the commands ' +
    'of this page read `$ATTEST`, it is this header; with the variable unset curl sends none.',
].join('\n\n');

/** What the `attest` header is made of, as `readAttestHeader` and `verifyAttest` read it. */
export function attestSection(): Markup {
  return html`<section aria-labelledby="attest">
    <h1 id="attest">The attest header</h1>
    ${paragraphs(introduction)} ${memberTable(header)} ${paragraphs(middle)}
    ${memberTable(clientData)} ${paragraphs(rest)}
    <p>
      Operations that ask for it: ${links('required')}. Those that read it: ${links('accepted')}.
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
