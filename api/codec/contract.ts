import { z } from 'zod';
import { contract } from '../http/contract.ts';

const payloads = z.object({
  payloads: z
    .array(
      z.object({
        metadata: z.record(z.string(), z.string()).optional(),
        data: z.string().optional(),
      }),
    )
    .max(1000),
});
const common = {
  method: 'post',
  auth: ['operator'],
  hidden: true,
  // The Temporal UI shapes the body.
  unknownFields: 'ignored',
  request: { body: payloads },
  replies: { 200: { kind: 'json', schema: payloads, description: 'The payloads' } },
} as const;

/** The codec endpoint of the Temporal UI: opens payloads for operators. */
export const codecContracts = {
  decode: contract({
    ...common,
    id: 'codec.decode',
    path: '/codec/decode',
    errors: ['credential_invalid', 'payload_unreadable'],
    summary: 'Decrypt payloads for an operator',
    cors: true,
  }),
  encode: contract({
    ...common,
    id: 'codec.encode',
    path: '/codec/encode',
    errors: ['credential_invalid'],
    summary: 'Encrypt payloads that an operator sends from the UI',
    cors: true,
  }),
} as const;
