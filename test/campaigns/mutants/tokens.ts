import { generateKeyPairSync, sign, X509Certificate } from 'node:crypto';
import type { PlatformSigner } from '../../../activities/keys/directory/load-keys.ts';
import {
  checkAssurance,
  checkLifetime,
  checkVerifiedClaims,
} from '../../../activities/tokens/bundle-claims.ts';
import { mintCheckToken, readCheckToken } from '../../../activities/tokens/check-token.ts';
import { mintSessionToken, readSessionToken } from '../../../activities/tokens/session-token.ts';
import { readAttestHeader } from '../../../api/http/auth/attest/attest-header.ts';
import { bundleTyp } from '../../../domain/tokens/bundle.ts';
import { decodeJws, signJws, takeApart } from '../../../domain/tokens/jws.ts';
import type { TokenKeys } from '../../../domain/tokens/token-keys.ts';
import { at, csca } from '../../support/fixtures/passports/fixtures.ts';
import type { Parser } from './parser.ts';

const issuer = 'https://trust.example.test';
const base64url = (bytes: Uint8Array | string): string => Buffer.from(bytes).toString('base64url');
const latin1 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('latin1');

/** Creates a signer like the platform’s, with an unrelated certificate. */
function newSigner(): PlatformSigner {
  const { privateKey: key, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return {
    algorithm: 'ES256',
    kid: 'k'.repeat(43),
    certificateChain: [],
    certificate: new X509Certificate(csca.certificate),
    publicKey,
    sign: async (data) => sign('sha256', data, key),
  };
}

const keysOf = ({ kid, publicKey }: PlatformSigner): TokenKeys => ({
  tokenKey: (asked) => (asked === kid ? publicKey : null),
});

/** Parsers of headers: phone signatures, and tokens of our own kinds. */
export async function tokenParsers(): Promise<Parser[]> {
  const tokens = newSigner();
  const iat = at.getTime() / 1000;
  const session = {
    sub: 'pu_of_a_person',
    sid: 'sid_of_a_session',
    jti: 'jti_of_a_token',
    iat,
    exp: iat + 3600,
    auth_time: iat,
    auth_method: 'cert',
    account_id: 1,
    roles: ['MEMBER'],
  } as const;
  const { token: check } = await mintCheckToken(
    tokens,
    issuer,
    { linkSessionId: `tc_${'0'.repeat(26)}`, jkt: 'a key' },
    at,
  );
  const bundle = {
    iss: `${issuer}/users/pu_1`,
    sub: 'pu_1',
    aud: issuer,
    iat,
    exp: iat + 300,
    acr: 'urn:trustcheck:assurance:cert',
    amr: ['hwk', 'pop'],
    cnf: { jkt: tokens.kid },
    _claim_names: { verified_claims: 'src' },
    _claim_sources: { src: { JWT: check } },
  };
  const signedBundle = await signJws(tokens, bundleTyp, bundle);
  const whole = [await mintSessionToken(tokens, issuer, session), check, signedBundle];
  return [
    ...attestParsers(),
    {
      name: 'jws',
      seeds: whole.map((token) => Buffer.from(token)),
      read: async (bytes) => {
        const token = latin1(bytes);
        await readSessionToken(keysOf(tokens), issuer, token, at);
        await readCheckToken(keysOf(tokens), issuer, token, at);
        return decodeJws(token, bundleTyp);
      },
      throws: [],
    },
    {
      name: 'session-claims',
      seeds: [Buffer.from(JSON.stringify(session))],
      read: async (text) => {
        const claims = JSON.parse(Buffer.from(text).toString());
        const token = await signJws(tokens, 'session+jwt', claims);
        return readSessionToken(keysOf(tokens), issuer, token, at);
      },
      throws: ['SyntaxError'],
    },
    bundleParser(tokens, bundle),
  ];
}

/** Parser of the claims of a genuinely signed bundle, each rule separately. */
function bundleParser(tokens: PlatformSigner, bundle: object): Parser {
  const holder = { polyUserId: 'pu_1', kid: tokens.kid };
  const deps = { keys: keysOf(tokens), baseUrl: issuer };
  return {
    name: 'bundle-claims',
    seeds: [Buffer.from(JSON.stringify(bundle))],
    read: async (text) => {
      const jws = takeApart(`${base64url('{}')}.${base64url(text)}.${base64url('x')}`, 8_192);
      if (!jws) return;
      const { claims } = jws;
      const rules: readonly (() => unknown)[] = [
        () => checkLifetime(claims, at),
        () => checkAssurance(claims, holder),
        () => checkVerifiedClaims(deps, claims, holder, at),
      ];
      for (const rule of rules) {
        try {
          await rule();
        } catch (error) {
          if (!(error instanceof Error && error.name === 'TokenRefused')) throw error;
        }
      }
    },
    throws: [],
  };
}

function attestParsers(): Parser[] {
  const data = {
    nonce: 'n'.repeat(64),
    method: 'POST',
    path: '/v2/trust-checks/tc_1/proofs',
    body_sha256: 'ab'.repeat(32),
    iat: at.getTime() / 1000,
  };
  const outer = (client_data: Uint8Array | string) => ({
    v: 1,
    platform: 'ios',
    device_id: 'dev_1',
    assertion: base64url('an assertion'),
    client_data: base64url(client_data),
  });
  const header = JSON.stringify(outer(JSON.stringify(data)));
  const throws = ['Failure'];
  return [
    {
      name: 'attest-header',
      seeds: [Buffer.from(base64url(header))],
      read: (bytes) => readAttestHeader(latin1(bytes)),
      throws,
    },
    {
      name: 'attest-object',
      seeds: [Buffer.from(header)],
      read: (json) => readAttestHeader(base64url(json)),
      throws,
    },
    {
      name: 'attest-data',
      seeds: [Buffer.from(JSON.stringify(data))],
      read: (json) => readAttestHeader(base64url(JSON.stringify(outer(json)))),
      throws,
    },
  ];
}
