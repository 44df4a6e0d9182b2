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
        note_key: z.string().describe('`name+id+key`, as verifiers of signed notes take it'),
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
    summary: 'What the public log of affidavits is now: size and root, signed (C2SP checkpoint)',
    auth: ['public'],
    request: {},
    replies: { 200: lines('The signed note') },
    errors: ['dependency_unavailable'],
  }),
  tile: contract({
    id: 'log.tile',
    method: 'get',
    path: '/log/tile/{path*}',
    summary: 'A tile of its tree or a bundle of its entries (C2SP tlog-tiles)',
    auth: ['public'],
    request: {
      path: z.object({
        path: z
          .string()
          .max(64)
          .describe('`<L>/<N>`, `entries/<N>`, either with `.p/<W>`: `0/x001/234`, `0/000.p/17`'),
      }),
    },
    replies: { 200: bytes('Hashes of 32 bytes, or entries, each after its length in two bytes') },
    errors: ['not_found'],
  }),
  proof: contract({
    id: 'log.proof',
    method: 'get',
    path: '/log/proof/{affidavit_id}',
    summary: 'The proof that an affidavit is in the log, to be kept beside it (C2SP tlog-proof)',
    auth: ['public'],
    request: {
      path: z.object({
        affidavit_id: z
          .string()
          .regex(/^aff_[0-9a-z]{26}$/)
          .describe('The number in the affidavit'),
      }),
    },
    replies: { 200: lines('The `.tlog-proof` file') },
    errors: ['not_found'],
  }),
  jwks: contract({
    id: 'log.jwks',
    method: 'get',
    path: '/log/.well-known/jwks.json',
    summary: 'The key of the public log, by which its checkpoints are verified',
    auth: ['public'],
    request: { headers: etag },
    replies: {
      200: { kind: 'page', types: [jsonType], schema: logKeys, description: 'The key set' },
      304: unchanged,
    },
    errors: [],
  }),
} as const;
