import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import type { Device } from '../../../simulator/device/device.ts';
import {
  changedBundle,
  encode,
  kidOfDevice,
  plainParts,
  platformKeys,
  type Members,
} from '../keys/bundles.ts';
import { ownPlatform } from '../platform/own-platform.ts';
import type { WrongBundle } from './wrong-bundle.ts';

export function wrongHeaders(mine: Device): WrongBundle[] {
  const jwk = createPublicKey(mine.signingKey).export({ format: 'jwk' });
  const { baseUrl } = ownPlatform();
  const members: Members = {
    jwk,
    jku: `${baseUrl}/.well-known/jwks.json`,
    x5u: `${baseUrl}/pki/trust-bundle.pem`,
    x5t: 'AAAA',
    crit: ['exp'],
    b64: false,
    zip: 'DEF',
    cty: 'JWT',
    enc: 'A256GCM',
    epk: jwk,
    p2c: 1,
    nonce: 'AAAA',
    ALG: 'ES256',
  };
  const { header } = plainParts(mine);
  const [leaf = '', ca = ''] = header['x5c'] as string[];
  const certificates: Record<string, Members> = {
    'no certificate in x5c': { x5c: [] },
    'x5c that is text': { x5c: leaf },
    'x5c of numbers': { x5c: [1] },
    'x5c that is no certificate': { x5c: ['AAAA'] },
    'x5c of another key': { x5c: [ca, leaf] },
    'x5c in base64url': {
      x5c: [leaf.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')],
    },
    'x5c with a tail': { x5c: [Buffer.from(leaf, 'base64').toString('base64').concat('AAAA')] },
    'a wrong x5t#S256': { 'x5t#S256': 'A'.repeat(43) },
    'x5t#S256 that is a number': { 'x5t#S256': 7 },
  };
  return [
    ...Object.entries(members).map(([name, value]) => ({
      what: `header member ${name}`,
      token: changedBundle(mine, { header: { [name]: value } }),
      rule: 'header' as const,
    })),
    ...Object.entries(certificates).map(([what, change]) => ({
      what,
      token: changedBundle(mine, { header: change }),
      rule: 'chain' as const,
    })),
  ];
}

export function wrongKeys(mine: Device, other: Device): WrongBundle[] {
  const keys = platformKeys();
  const otherUser = other.enrolled?.polyUserId;
  const kids = [
    kidOfDevice(other),
    keys.tokens.kid,
    keys.peopleCa.kid,
    keys.root.kid,
    'A'.repeat(43),
    '../../other',
    `${kidOfDevice(mine)}\0`,
    '',
    null,
    7,
    [kidOfDevice(mine)],
    undefined,
  ];
  const subjects = [
    otherUser,
    'pu_unknown',
    '',
    'pu\0',
    "' OR 1=1 --",
    '../users',
    'x'.repeat(65),
    mine.enrolled?.polyUserId.toUpperCase(),
    null,
    7,
    [mine.enrolled?.polyUserId],
    undefined,
  ];
  return [
    ...kids.map((kid) => ({
      what: `kid ${JSON.stringify(kid)}`,
      token: changedBundle(mine, { header: { kid } }),
      rule: 'kid' as const,
    })),
    ...subjects.map((sub) => ({
      what: `sub ${JSON.stringify(sub)?.slice(0, 40)}`,
      token: changedBundle(mine, { claims: { sub } }),
      rule: 'kid' as const,
    })),
  ];
}

export function wrongSignatures(mine: Device, other: Device): WrongBundle[] {
  const stranger = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
  const longer = generateKeyPairSync('ec', { namedCurve: 'P-521' }).privateKey;
  const good = changedBundle(mine);
  const [head = '', body = '', tail = ''] = good.split('.');
  const { claims } = plainParts(mine);
  const rebuilt = (change: Members) => `${head}.${encode({ ...claims, ...change })}.${tail}`;
  const flipped = [0, 1, 31, 32, 33, 63].map((at) => {
    const bytes = Buffer.from(tail, 'base64url');
    bytes[at] = (bytes[at] ?? 0) ^ 1;
    return [`bit flipped in byte ${at}`, `${head}.${body}.${bytes.toString('base64url')}`];
  });
  const changed: Record<string, string> = {
    'signed by a stranger': changedBundle(mine, { key: stranger }),
    'signed by another person': changedBundle(mine, { key: other.signingKey }),
    'another person’s key id, signed by mine': changedBundle(mine, {
      header: { kid: kidOfDevice(other) },
      claims: { sub: other.enrolled?.polyUserId },
    }),
    'all zero': `${head}.${body}.${Buffer.alloc(64).toString('base64url')}`,
    'all ones': `${head}.${body}.${Buffer.alloc(64, 255).toString('base64url')}`,
    'halves swapped': `${head}.${body}.${swapped(tail)}`,
    'exp changed after signing': rebuilt({ exp: 99_999_999_999 }),
    'acr changed after signing': rebuilt({ acr: 'urn:other' }),
    'signature of another bundle': `${head}.${body}.${changedBundle(mine).split('.')[2]}`,
    ...Object.fromEntries(flipped),
  };
  return [
    ...Object.entries(changed).map(([what, token]) => ({
      what,
      token,
      rule: 'signature' as const,
    })),
    { what: 'a longer curve', token: changedBundle(mine, { key: longer }), rule: 'form' },
  ];
}

function swapped(tail: string): string {
  const bytes = Buffer.from(tail, 'base64url');
  return Buffer.concat([bytes.subarray(32), bytes.subarray(0, 32)]).toString('base64url');
}
