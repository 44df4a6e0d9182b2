import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import { encode, type Members } from '../../support/keys/bundles.ts';
import {
  accessClaims,
  accessToken,
  ssoClient,
  type KeyedIssuer,
} from '../../support/people/sso.ts';
import { newSigningKey, signWith, type SigningKey } from '../../support/stand-ins/oauth/issuer.ts';
import { forgedClaims, type Forged } from './forged-claims.ts';

/** Returns access tokens forged in every way we know. */
export function forgedTokens(of: KeyedIssuer, rsa: SigningKey): Forged[] {
  return [
    ...forms(of),
    ...algorithms(of, rsa),
    ...headers(of),
    ...kinds(of),
    ...signatures(of, rsa),
    ...forgedClaims(of),
  ];
}

function forms(of: KeyedIssuer): Forged[] {
  const good = accessToken(of);
  const [head = '', body = '', tail = ''] = good.split('.');
  const { kid } = of.key;
  const claims = accessClaims(of.issuer.issuer);
  const text = JSON.stringify(claims);
  const twice = (json: string): string => encode(json);
  const signed = (h: string, b: string): string => signWith(of.key, `${h}.${b}`);
  const size: Forged = {
    what: 'over 16 KiB',
    rule: 'size',
    token: accessToken(of, { more: 'x'.repeat(16_384) }),
  };
  const wrong: Record<string, string> = {
    'a word': 'token',
    'two parts': `${head}.${body}`,
    'four parts': `${good}.${tail}`,
    'five parts, as what is encrypted has': `${head}..${tail}.${body}.${tail}`,
    'a header without content': `.${body}.${tail}`,
    'no content': `${head}..${tail}`,
    'no signature': `${head}.${body}.`,
    'a blank before': ` ${good}`,
    'a line after': `${good}\n`,
    'the scheme before': `Bearer ${good}`,
    'standard base64': signed(head, Buffer.from(`${text}  >>>???`).toString('base64')),
    'padding in a part': signed(`${head}=`, body),
    'a part with bits to spare': `${good.slice(0, -1)}${tail.endsWith('A') ? 'B' : 'z'}_`,
    'a header that is a list': signed(encode([]), body),
    'a header that is null': signed(encode('null'), body),
    'a header that is no JSON': signed(encode('{alg:1}'), body),
    'claims that are a text': signed(head, encode('"text"')),
    'claims that are a list': signed(head, encode([claims])),
    'claims that are cut off': signed(head, encode(text.slice(0, -1))),
    'claims that are no UTF-8': signed(head, Buffer.from([0x7b, 0xff, 0x7d]).toString('base64url')),
    'a mark before the claims': signed(head, encode(`\uFEFF${text}`)),
    'an algorithm twice': signed(
      twice(`{"alg":"none","alg":"ES256","typ":"at+jwt","kid":"${kid}"}`),
      body,
    ),
    'a key id twice': signed(
      twice(`{"alg":"ES256","typ":"at+jwt","kid":"x","kid":"${kid}"}`),
      body,
    ),
    'a subject twice': signed(head, twice(text.replace('{', '{"sub":"root",'))),
    'an issuer twice': signed(head, twice(text.replace('{', '{"iss":"https://a.test",'))),
    'groups twice': signed(head, twice(text.replace('{', '{"groups":["admins"],'))),
    'a member of a member twice': signed(head, twice(text.replace('{', '{"a":{"b":1,"b":2},'))),
    'an escaped name twice': signed(head, twice(text.replace('{', '{"s\\u0075b":"root",'))),
    'the JSON form of a signature': JSON.stringify({ payload: body, protected: head }),
    'another token in its place': encode(good),
  };
  return [
    size,
    ...Object.entries(wrong).map(([what, token]): Forged => ({ what, rule: 'form', token })),
  ];
}

function algorithms({ issuer, key }: KeyedIssuer, rsa: SigningKey): Forged[] {
  const body = encode(accessClaims(issuer.issuer));
  const headOf = (alg: unknown, kid = key.kid): string => encode({ alg, typ: 'at+jwt', kid });
  const hmac = (secret: KeyObject | string, kid: string): string => {
    const input = `${headOf('HS256', kid)}.${body}`;
    return `${input}.${createHmac('sha256', secret).update(input).digest('base64url')}`;
  };
  const pem = (of: SigningKey): string =>
    String(of.privateKey.export({ type: 'pkcs8', format: 'pem' }));
  const refused = ['none', 'None', 'NONE', 'nOnE', '', 'es256', 'ES256 ', 'HS256', 'RS1', 'ES384']
    .concat('ES256K', 'EdDSA', 'RSA1_5', 'dir', '__proto__', 'constructor', 'RS512', 'PS384')
    .map((alg): Forged => ({
      what: `the algorithm ${JSON.stringify(alg)}`,
      rule: 'alg',
      token: signWith(key, `${headOf(alg)}.${body}`),
    }));
  const odd = [undefined, null, 7, ['ES256'], { alg: 'ES256' }, true].map((alg): Forged => ({
    what: `an algorithm that is ${JSON.stringify(alg)}`,
    rule: 'alg',
    token: signWith(key, `${headOf(alg)}.${body}`),
  }));
  return [
    ...refused,
    ...odd,
    {
      what: 'HMAC by the public key as JSON',
      rule: 'alg',
      token: hmac(JSON.stringify(rsa.jwk), rsa.kid),
    },
    { what: 'HMAC by a key as PEM', rule: 'alg', token: hmac(pem(rsa), rsa.kid) },
    { what: 'HMAC by our own secret', rule: 'alg', token: hmac(ssoClient.clientSecret, key.kid) },
    {
      what: 'HMAC by nothing',
      rule: 'alg',
      token: hmac(createSecretKey(Buffer.alloc(1)), key.kid),
    },
  ];
}

function headers(of: KeyedIssuer): Forged[] {
  const mine = newSigningKey('ES256', of.key.kid);
  const { issuer } = of;
  const bring = { issuer, key: mine };
  const wrong: Record<string, [Members, KeyedIssuer?]> = {
    'a key of its own': [{ jwk: mine.jwk }, bring],
    'the address of a key': [{ jku: `${issuer.url}/keys` }, bring],
    'the address of a key, of the issuer itself': [{ jku: `${issuer.url}/keys` }],
    'the address of a certificate': [{ x5u: 'https://a.test/x.pem' }, bring],
    'something critical': [{ crit: ['exp'], exp: 1 }],
    'something critical that is known': [{ crit: ['b64'], b64: true }],
    'an empty list of what is critical': [{ crit: [] }],
    'content that is not encoded': [{ b64: false }],
    'content that is compressed': [{ zip: 'DEF' }],
    'content that is encrypted': [{ enc: 'A256GCM' }],
    'a token in a token': [{ cty: 'JWT' }],
    'an ephemeral key': [{ epk: mine.jwk }],
  };
  return Object.entries(wrong).map(([what, [header, by = of]]): Forged => ({
    what,
    rule: 'header',
    token: accessToken(by, {}, header),
  }));
}

function kinds(of: KeyedIssuer): Forged[] {
  const plain = { token_type: 'JWT', audience: 'api' } as const;
  const wrong = ['JWT', 'jwt', undefined, 'vbundle+jwt', 'session+jwt', 'at', 'at+jwt2', 'id+jwt']
    .concat('application/jwt', 'text/at+jwt', 'logout+jwt', 'secevent+jwt', 'dpop+jwt')
    .map((typ): Forged => ({
      what: `the type ${typ}`,
      rule: 'typ',
      token: accessToken(of, {}, { typ }),
    }));
  const loose = ['vbundle+jwt', 'logout+jwt', 'token-introspection+jwt', 7, null].map(
    (typ): Forged => ({
      what: `the type ${typ} where JWT would do`,
      rule: 'typ',
      token: accessToken(of, { aud: 'api' }, { typ }),
      row: plain,
    }),
  );
  const idToken = { client_id: undefined, nonce: 'n-0S6_WzA2Mj' };
  return [
    ...wrong,
    ...loose,
    {
      what: 'an ID token',
      rule: 'audience',
      token: accessToken(of, idToken, { typ: 'JWT' }),
      row: plain,
    },
    {
      what: 'an ID token of a resource that is a client',
      rule: 'use',
      token: accessToken(of, { ...idToken, aud: 'api', azp: 'trustcheck' }, { typ: 'JWT' }),
      row: plain,
    },
    {
      what: 'a nonce where no type says what it is',
      rule: 'use',
      token: accessToken(of, { aud: 'api', nonce: 'x' }, { typ: 'JWT' }),
      row: plain,
    },
    ...[
      { at_hash: 'x' },
      { c_hash: 'x' },
      { s_hash: 'x' },
      { events: { 'http://schemas.openid.net/event/backchannel-logout': {} } },
      { token_use: 'id' },
      { token_use: ['access'] },
      { typ: 'ID' },
      { typ: 'Refresh' },
      { token_type: 'refresh_token' },
      { cnf: { jkt: 'x' } },
      { cnf: { 'x5t#S256': 'x' } },
    ].map((mark): Forged => ({
      what: `marked ${JSON.stringify(mark)}`,
      rule: 'use',
      token: accessToken(of, mark),
    })),
  ];
}

function signatures(of: KeyedIssuer, rsa: SigningKey): Forged[] {
  const { issuer, key } = of;
  const good = accessToken(of);
  const [head = '', body = '', tail = ''] = good.split('.');
  const turned = Buffer.from(tail, 'base64url');
  turned[7] = (turned[7] ?? 0) ^ 1;
  const raised = encode(accessClaims(issuer.issuer, { groups: ['admins'] }));
  const bytes = (fill: number, length = 64): string =>
    Buffer.alloc(length, fill).toString('base64url');
  const stranger = newSigningKey('ES256', key.kid);
  const headOf = (alg: string, kid: unknown): string => encode({ alg, typ: 'at+jwt', kid });
  const wrong: Record<string, string> = {
    'of another key': accessToken({ issuer, key: stranger }),
    'over other claims': `${head}.${raised}.${tail}`,
    'turned by a bit': `${head}.${body}.${turned.toString('base64url')}`,
    'of zeros': `${head}.${body}.${bytes(0)}`,
    'of ones': `${head}.${body}.${bytes(255)}`,
    'cut off': `${head}.${body}.${Buffer.from(tail, 'base64url').subarray(0, 63).toString('base64url')}`,
    'with a byte more': `${head}.${body}.${Buffer.concat([Buffer.from(tail, 'base64url'), Buffer.of(0)]).toString('base64url')}`,
    'of an RSA key by zeros': `${headOf('RS256', rsa.kid)}.${body}.${bytes(0, 256)}`,
    'of PS256 as RS256': signWith({ ...rsa, alg: 'PS256' }, `${headOf('RS256', rsa.kid)}.${body}`),
  };
  const unknown = [undefined, null, '', 'x', 7, [key.kid], `${key.kid} `, key.kid.toUpperCase()]
    .concat('../keys', '__proto__', 'x'.repeat(257), "' OR 1=1 --", rsa.kid)
    .map((kid): Forged => ({
      what: `the key id ${JSON.stringify(kid)}`,
      rule: 'kid',
      token: accessToken(of, {}, { kid }),
    }));
  return [
    ...Object.entries(wrong).map(([what, token]): Forged => ({
      what: `a signature ${what}`,
      rule: 'signature',
      token,
    })),
    ...unknown,
    {
      what: 'an RSA algorithm with a key of P-256',
      rule: 'kid',
      token: `${headOf('RS256', key.kid)}.${body}.${tail}`,
    },
    {
      what: 'PS256 by a key that is for RS256',
      rule: 'kid',
      token: signWith({ ...rsa, alg: 'PS256' }, `${headOf('PS256', rsa.kid)}.${body}`),
    },
  ];
}
