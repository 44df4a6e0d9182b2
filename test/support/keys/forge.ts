import { createHmac, generateKeyPairSync, sign as signBytes } from 'node:crypto';
import { encode } from './bundles.ts';

const decode = (part = ''): Record<string, unknown> =>
  JSON.parse(Buffer.from(part, 'base64url').toString());

/** Returns forged variants of a valid token. None may pass. */
export function forge(token: string, otherToken: string, publicPem: string): string[] {
  const [head = '', body = '', tail = ''] = token.split('.');
  const header = decode(head);
  const own = decode(body);
  const forged: string[] = [];
  const other = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
  const withKey = (h: unknown, b: unknown): string => {
    const input = `${encode(h)}.${encode(b)}`;
    const options = { key: other, dsaEncoding: 'ieee-p1363' } as const;
    return `${input}.${signBytes('sha256', Buffer.from(input), options).toString('base64url')}`;
  };
  for (const alg of [
    'none',
    'None',
    'NONE',
    'HS256',
    'HS512',
    'RS256',
    'PS256',
    'ES384',
    'ES512',
    'EdDSA',
    '',
    null,
    1,
  ]) {
    const changed = encode({ ...header, alg });
    forged.push(`${changed}.${body}.`, `${changed}.${body}.${tail}`);
    const mac = createHmac('sha256', publicPem).update(`${changed}.${body}`).digest('base64url');
    forged.push(`${changed}.${body}.${mac}`);
  }
  for (const extra of ['jwk', 'jku', 'x5u', 'crit', 'zip', 'b64', 'cty', 'epk', 'enc']) {
    forged.push(
      withKey({ ...header, [extra]: ['x'] }, own),
      `${encode({ ...header, [extra]: {} })}.${body}.${tail}`,
    );
  }
  for (const typ of [
    'JWT',
    'at+jwt',
    'session+jwt ',
    'Session+JWT',
    'check+jwt2',
    'vbundle+jwt',
    '',
    null,
  ]) {
    forged.push(withKey({ ...header, typ }, own), `${encode({ ...header, typ })}.${body}.${tail}`);
  }
  for (const kid of ['', '../x', 'x'.repeat(43), null, 7, ['a']])
    forged.push(withKey({ ...header, kid }, own));
  for (const [name, value] of Object.entries({
    sub: 'pu_2',
    iss: 'https://evil.test',
    aud: 'x',
    exp: Number(own['exp']) * 2,
    sid: 'other',
    roles: ['POLYADMIN'],
    account_id: 2,
  })) {
    forged.push(
      `${head}.${encode({ ...own, [name]: value })}.${tail}`,
      withKey(header, { ...own, [name]: value }),
    );
  }
  const doubled = `{"sub":"pu_9",${JSON.stringify(own).slice(1)}`;
  forged.push(withKey(header, doubled), `${head}.${encode(doubled)}.${tail}`);
  const zero = Buffer.alloc(64).toString('base64url');
  forged.push(
    `${head}.${body}.${zero}`,
    `${head}.${body}`,
    `${head}.${body}.${tail}.${tail}`,
    `.${body}.${tail}`,
  );
  forged.push(
    `${head}.${body}.${tail}=`,
    `${head}.${body}.${tail.slice(0, -1)}`,
    ` ${token}`,
    `${token}\n`,
    token.toUpperCase(),
  );
  forged.push(
    `${head}.${body}.${Buffer.from(tail, 'base64url').toString('base64')}`,
    otherToken,
    '',
    '..',
    'a.b.c',
  );
  forged.push(
    `${head}.${encode('[]')}.${tail}`,
    `${head}.${encode('null')}.${tail}`,
    withKey(header, '"x"'),
    'x'.repeat(9000),
  );
  for (let bit = 0; bit < 64; bit += 1) {
    const bytes = Buffer.from(tail, 'base64url');
    bytes[bit] = (bytes[bit] ?? 0) ^ 1;
    forged.push(`${head}.${body}.${bytes.toString('base64url')}`);
  }
  return forged;
}
