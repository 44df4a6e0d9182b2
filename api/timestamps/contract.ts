import { queryBytesMax } from '../../domain/pki/timestamps/query.ts';
import { contract } from '../http/contract.ts';

export const replyType = 'application/timestamp-reply';

/** Timestamps of the platform's own authority. */
export const timestampContracts = {
  stamp: contract({
    id: 'timestamps.stamp',
    method: 'post',
    path: '/tsa',
    summary: 'Create a time stamp over a hash (RFC 3161)',
    description:
      'The body is a time-stamp query (`application/timestamp-query`) over SHA-256, ' +
      'SHA-384 or SHA-512. A refused query gets 200 with its PKIFailureInfo.',
    auth: ['public'],
    request: { rawBytesMax: queryBytesMax },
    replies: {
      200: {
        kind: 'page',
        types: [replyType],
        description: 'The time-stamp response in DER: a token or an error',
      },
    },
    errors: [],
    limit: { points: 300, seconds: 60, by: 'address' },
  }),
} as const;
