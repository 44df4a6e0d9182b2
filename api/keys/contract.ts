import { z } from 'zod';
import { contract } from '../contract.ts';

const key = z.record(z.string(), z.unknown());
export const jwksBody = z.object({ keys: z.array(key) }).meta({ id: 'JWKS' });
const file = { kind: 'page', types: ['application/pkix-cert'], description: 'The file' } as const;

/** Public keys of the platform. */
export const keyContracts = {
  platformJwks: contract({
    id: 'keys.platformJwks',
    method: 'get',
    path: '/.well-known/jwks.json',
    summary: 'Keys of the platform: root, issuing CAs and tokens',
    auth: ['public'],
    request: {},
    replies: { 200: { kind: 'json', schema: jwksBody, description: 'The key set' } },
    errors: [],
  }),
  trustBundle: contract({
    id: 'keys.trustBundle',
    method: 'get',
    path: '/pki/trust-bundle.pem',
    summary: 'The trust anchor as PEM',
    auth: ['public'],
    request: {},
    replies: {
      200: { kind: 'page', types: ['application/x-pem-file'], description: 'PEM certificates' },
    },
    errors: [],
  }),
  certificate: contract({
    id: 'keys.certificate',
    method: 'get',
    path: '/pki/{file}',
    summary: 'The certificate of a CA, DER',
    auth: ['public'],
    request: { path: z.object({ file: z.string().regex(/^[A-Za-z0-9_-]{43}\.cer$/) }) },
    replies: { 200: file },
    errors: ['not_found'],
  }),
} as const;
