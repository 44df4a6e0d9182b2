import { z } from 'zod';
import { contract } from '../http/contract.ts';
import { etag, jsonType, unchanged } from '../keys/contract.ts';

const bytes = (description: string) =>
  ({ kind: 'page', types: ['application/octet-stream'], description }) as const;
const lines = (description: string) =>
  ({ kind: 'page', types: ['text/plain'], description }) as const;

const logKeys = z
  .object({
    keys: z.array(
      z.object({
        kty: z.literal('OKP'),
        crv: z.literal('Ed25519'),
        x: z.string(),
        kid: z.string().describe('RFC 7638'),
        use: z.literal('sig'),
        alg: z.literal('EdDSA'),
        note_key: z.string().describe('Verifier key for signed notes: `name+id+key`'),
      }),
    ),
  })
  .meta({ id: 'LogKeys' });

/** The public log of affidavits, in the layout of C2SP tlog-tiles. */
export const publicLogContracts = {
  checkpoint: contract({
    id: 'log.checkpoint',
    method: 'get',
    path: '/log/checkpoint',
    summary: 'Get the signed size and root of the public log of affidavits (C2SP checkpoint)',
    auth: ['public'],
    request: {},
    replies: { 200: lines('The signed note') },
    errors: ['dependency_unavailable'],
  }),
  tile: contract({
    id: 'log.tile',
    method: 'get',
    path: '/log/tile/{path*}',
    summary: 'Get a tile of the log’s tree or a bundle of its entries (C2SP tlog-tiles)',
    auth: ['public'],
    request: {
      path: z.object({
        path: z
          .string()
          .max(64)
          .describe('`<L>/<N>`, `entries/<N>`, either with `.p/<W>`: `0/x001/234`, `0/000.p/17`'),
      }),
    },
    replies: { 200: bytes('Hashes of 32 bytes, or entries with a two-byte length before each') },
    errors: ['not_found'],
  }),
  proof: contract({
    id: 'log.proof',
    method: 'get',
    path: '/log/proof/{affidavit_id}',
    summary: 'Get the proof that an affidavit is in the log, to store with it (C2SP tlog-proof)',
    auth: ['public'],
    request: {
      path: z.object({
        affidavit_id: z
          .string()
          .regex(/^aff_[0-9a-z]{26}$/)
          .describe('ID in the affidavit'),
      }),
    },
    replies: { 200: lines('The `.tlog-proof` file') },
    errors: ['not_found'],
  }),
  jwks: contract({
    id: 'log.jwks',
    method: 'get',
    path: '/log/.well-known/jwks.json',
    summary: 'Get the key of the public log, to verify its checkpoints',
    auth: ['public'],
    request: { headers: etag },
    replies: {
      200: { kind: 'page', types: [jsonType], schema: logKeys, description: 'The key set' },
      304: unchanged,
    },
    errors: [],
  }),
} as const;
