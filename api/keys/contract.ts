import { z } from 'zod';
import { ocspRequestBytesMax } from '../../domain/pki/revocation/ocsp-request.ts';
import { contract } from '../http/contract.ts';

const revoked = z
  .object({
    revoked_at: z.number().int(),
    reason: z.enum(['unspecified', 'compromised', 'superseded']),
    invalidity_date: z.number().int().optional(),
  })
  .meta({
    description:
      'Keys in the form of OpenID Federation 1.0, Federation Historical Keys; times in seconds',
  });

export const jwkBody = z
  .object({
    kty: z.string(),
    crv: z.string(),
    x: z.string(),
    y: z.string(),
    kid: z.string(),
    alg: z.enum(['ES256', 'ES384']),
    use: z.literal('sig').optional(),
    key_ops: z.array(z.string()).max(0).optional(),
    x5c: z.array(z.string()),
    'x5t#S256': z.string(),
    nbf: z.number().int(),
    iat: z.number().int(),
    exp: z.number().int(),
    revoked: revoked.optional(),
  })
  .meta({ id: 'JWK' });
export const jwksBody = z.object({ keys: z.array(jwkBody) }).meta({ id: 'JWKS' });

export const jsonType = 'application/jwk-set+json';
export const signedType = 'application/jwk-set+jwt';

const keySet = {
  kind: 'page',
  types: [jsonType],
  schema: jwksBody,
  description: 'The key set',
} as const;
export const unchanged = {
  kind: 'empty',
  description: 'The ETag is still current',
} as const;
export const etag = z.object({
  'if-none-match': z.string().optional().describe('ETag of your copy; 304 if it is current'),
});
const document = (description: string) =>
  ({ kind: 'page', types: ['application/json'], schema: z.unknown(), description }) as const;

const iosDocument = {
  method: 'get',
  summary: 'List the iOS apps that open the links of this platform',
  auth: ['public'],
  request: { headers: etag },
  replies: { 200: document('The association document'), 304: unchanged },
  errors: [],
} as const;

export const ocspType = 'application/ocsp-response';
const ocspAnswer = {
  kind: 'page',
  types: [ocspType],
  description: 'The OCSP response in DER: signed, or an error',
} as const;
/** Devices that join a network at the same time all query from one address. */
const ocspLimit = { points: 600, seconds: 60, by: 'address' } as const;

/** Public keys of the platform and its people, and the mobile apps that open its links. */
export const keyContracts = {
  platformJwks: contract({
    id: 'keys.platformJwks',
    method: 'get',
    path: '/.well-known/jwks.json',
    summary: 'List the keys of the platform: root, issuing CAs and tokens',
    auth: ['public'],
    request: { headers: etag },
    replies: { 200: keySet, 304: unchanged },
    errors: [],
  }),
  userJwks: contract({
    id: 'keys.userJwks',
    method: 'get',
    path: '/users/{poly_user_id}/.well-known/jwks.json',
    summary: 'List the certified keys of a person',
    auth: ['public'],
    request: {
      // Any text: a malformed id gets the response of an unknown person, without a query.
      path: z.object({ poly_user_id: z.string().describe('ID of the person') }),
      query: z.object({
        include: z.literal('all').optional().describe('`all` includes expired and revoked keys'),
      }),
      headers: etag,
    },
    replies: {
      200: {
        ...keySet,
        types: [jsonType, signedType],
        description: 'The key set; with include=all also as a signed JWT, by Accept',
      },
      304: unchanged,
    },
    errors: ['not_found'],
  }),
  iosAssociation: contract({
    ...iosDocument,
    id: 'keys.iosAssociation',
    path: '/.well-known/ios-app-site-association',
  }),
  iosAssociationAtRoot: contract({
    ...iosDocument,
    id: 'keys.iosAssociationAtRoot',
    path: '/ios-app-site-association',
  }),
  /** The paths that the vendor's phones really request. */
  vendorAssociation: contract({
    ...iosDocument,
    id: 'keys.vendorAssociation',
    path: '/.well-known/apple-app-site-association',
    hidden: true,
  }),
  vendorAssociationAtRoot: contract({
    ...iosDocument,
    id: 'keys.vendorAssociationAtRoot',
    path: '/apple-app-site-association',
    hidden: true,
  }),
  assetLinks: contract({
    id: 'keys.assetLinks',
    method: 'get',
    path: '/.well-known/assetlinks.json',
    summary: 'List the Android apps that open the links of this platform',
    auth: ['public'],
    request: { headers: etag },
    replies: { 200: document('Digital Asset Links statements'), 304: unchanged },
    errors: [],
  }),
  trustBundle: contract({
    id: 'keys.trustBundle',
    method: 'get',
    path: '/pki/trust-bundle.pem',
    summary: 'Get the trust anchor as PEM',
    auth: ['public'],
    request: {},
    replies: {
      200: { kind: 'page', types: ['application/x-pem-file'], description: 'PEM certificates' },
    },
    errors: [],
  }),
  authorityFile: contract({
    id: 'keys.authorityFile',
    method: 'get',
    path: '/pki/{file}',
    summary: 'Get the certificate ({kid}.cer) or the revocation list ({kid}.crl) of a CA, in DER',
    auth: ['public'],
    request: {
      path: z.object({
        file: z
          .string()
          .regex(/^[A-Za-z0-9_-]{43}\.(cer|crl)$/)
          .describe('`{kid}.cer` or `{kid}.crl`'),
      }),
      headers: etag,
    },
    replies: {
      200: {
        kind: 'page',
        types: ['application/pkix-cert', 'application/pkix-crl'],
        description: 'The file',
      },
      304: unchanged,
    },
    errors: ['not_found'],
  }),
  ocsp: contract({
    id: 'keys.ocsp',
    method: 'post',
    path: '/pki/ocsp',
    summary: 'Get the status of certificates: good, revoked or unknown (OCSP, RFC 6960)',
    description:
      'The body is an OCSP request (`application/ocsp-request`) for at most 16 ' +
      'certificates of one CA. The response repeats the nonce.',
    auth: ['public'],
    request: { rawBytesMax: ocspRequestBytesMax },
    replies: { 200: ocspAnswer },
    errors: [],
    limit: ocspLimit,
  }),
  ocspByGet: contract({
    id: 'keys.ocspByGet',
    method: 'get',
    path: '/pki/ocsp/{request*}',
    summary: 'Get the status of certificates by GET, for caches; the response has no nonce',
    auth: ['public'],
    request: {
      path: z.object({
        request: z
          .string()
          .max(Math.ceil(ocspRequestBytesMax / 3) * 4)
          .describe('The OCSP request in base64'),
      }),
      headers: etag,
    },
    replies: { 200: ocspAnswer, 304: unchanged },
    errors: [],
    limit: ocspLimit,
  }),
} as const;
