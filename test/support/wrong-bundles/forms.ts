import { createHmac, createPublicKey, sign } from 'node:crypto';
import type { Device } from '../../../simulator/device/device.ts';
import { changedBundle, encode, plainParts, signSegments } from '../keys/bundles.ts';
import type { WrongBundle } from './wrong-bundle.ts';

export function wrongForms(mine: Device): WrongBundle[] {
  const { header, claims } = plainParts(mine);
  const good = changedBundle(mine);
  const [head = '', body = '', tail = ''] = good.split('.');
  const bodyText = JSON.stringify(claims);
  const headText = JSON.stringify(header);
  const signed = (h: string, b: string) => signSegments(encode(h), encode(b), mine.signingKey);
  const raw = (bytes: Buffer) => signSegments(head, bytes.toString('base64url'), mine.signingKey);
  const forms: Record<string, string> = {
    'two parts': `${head}.${body}`,
    'four parts': `${good}.${tail}`,
    'five parts': `${head}.${head}.${body}.${body}.${tail}`,
    'no header': `.${body}.${tail}`,
    'no claims': `${head}..${tail}`,
    'no signature': `${head}.${body}.`,
    'only dots': '..',
    'padded signature': `${good}==`,
    'padded header': `${head}=.${body}.${tail}`,
    'a space before': ` ${good}`,
    'a line after': `${good}\n`,
    'a NUL after': `${good}\0`,
    'base64 instead of base64url': good.replaceAll('-', '+').replaceAll('_', '/').concat('+'),
    'bits behind the last byte': `${head}.${body}.${tail.slice(0, -1)}${nextLetter(tail.at(-1))}`,
    'a short signature': `${head}.${body}.${tail.slice(0, -2)}`,
    'a DER signature': `${head}.${body}.${derSignature(`${head}.${body}`, mine)}`,
    'claims that are a list': signed(headText, `[${bodyText}]`),
    'claims that are null': signed(headText, 'null'),
    'claims that are text': signed(headText, '"claims"'),
    'claims that are no JSON': signed(headText, bodyText.slice(1)),
    'claims with a tail': signed(headText, `${bodyText}{}`),
    'a header that is a list': signed('[]', bodyText),
    'a byte order mark': signed(headText, `\u{FEFF}${bodyText}`),
    'bytes that are no UTF-8': raw(Buffer.concat([Buffer.from(bodyText), Buffer.of(0xff)])),
    'two sub': signed(headText, `{"sub":"pu_other",${bodyText.slice(1)}`),
    'two sub, one in escapes': signed(headText, `{"s\\u0075b":"pu_other",${bodyText.slice(1)}`),
    'two aud': signed(headText, `${bodyText.slice(0, -1)},"aud":"elsewhere"}`),
    'two exp': signed(headText, `${bodyText.slice(0, -1)},"exp":99999999999}`),
    'two alg': signed(`{"alg":"none",${headText.slice(1)}`, bodyText),
    'two members within': signed(headText, `${bodyText.slice(0, -1)},"x":{"a":1,"a":2}}`),
  };
  const large = { 'over the cap': 9_000, 'of 150 kB': 150_000 };
  return [
    ...Object.entries(forms).map(([what, token]) => ({ what, token, rule: 'form' as const })),
    ...Object.entries(large).map(([what, length]) => ({
      what,
      token: changedBundle(mine, { claims: { padding: 'x'.repeat(length) } }),
      rule: 'size' as const,
    })),
  ];
}

/** Changes only the unused bits of the last base64url character. */
function nextLetter(letter = 'A'): string {
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  return letters[letters.indexOf(letter) + 1] ?? 'B';
}

function derSignature(input: string, { signingKey }: Device): string {
  return sign('sha256', Buffer.from(input), signingKey).toString('base64url');
}

export function wrongAlgorithms(mine: Device): WrongBundle[] {
  const names = ['none', 'None', 'NONE', 'HS256', 'HS384', 'RS256', 'PS256', 'ES384', 'ES512'];
  const odd = ['ES256K', 'EdDSA', 'es256', 'ES256 ', '', null, 1, ['ES256'], undefined];
  const publicKey = createPublicKey(mine.signingKey);
  const secrets = {
    'PEM of the public key': String(publicKey.export({ format: 'pem', type: 'spki' })),
    'JWK of the public key': JSON.stringify(publicKey.export({ format: 'jwk' })),
    'empty secret': '',
  };
  const { header, claims } = plainParts(mine);
  const withMac = (alg: string, hash: string, secret: string): string => {
    const input = `${encode({ ...header, alg })}.${encode(claims)}`;
    return `${input}.${createHmac(hash, secret).update(input).digest('base64url')}`;
  };
  const none = `${encode({ ...header, alg: 'none' })}.${encode(claims)}.`;
  return [
    ...[...names, ...odd].map((alg) => ({
      what: `alg ${JSON.stringify(alg)}`,
      token: changedBundle(mine, { header: { alg } }),
      rule: 'alg' as const,
    })),
    { what: 'alg none and no signature', token: none, rule: 'form' as const },
    ...Object.entries(secrets).flatMap(
      ([what, secret]) =>
        [
          { what: `HS256 by the ${what}`, token: withMac('HS256', 'sha256', secret), rule: 'form' },
          { what: `HS512 by the ${what}`, token: withMac('HS512', 'sha512', secret), rule: 'alg' },
        ] as const,
    ),
  ];
}
