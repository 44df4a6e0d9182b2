import { z } from 'zod';
import { contract, json } from '../http/contract.ts';
import { pageBody, pageQuery } from '../http/fields/paging.ts';
import { endpointPath } from '../webhook-endpoints/schemas.ts';

const admin = { auth: ['key'], keyMode: 'either', admitsAppKeys: true, role: 'ADMIN' } as const;
const refusals = ['credential_invalid', 'not_found', 'role_required'] as const;
const at = '/v2/accounts/{account_id}/webhook-endpoints/{endpoint_id}/deliveries';

export const deliveryContracts = {
  list: contract({
    ...admin,
    id: 'deliveries.list',
    method: 'get',
    path: at,
    summary: 'Deliveries with their attempts, newest first',
    request: {
      path: endpointPath,
      query: z.object(pageQuery),
    },
    replies: {
      200: json(
        pageBody(
          z.object({
            delivery_id: z.string(),
            event_id: z.string(),
            replay: z
              .int()
              .describe('0 for the first, higher for each repetition that was asked for'),
            status: z.string(),
            created_at: z.iso.datetime(),
            finished_at: z.iso.datetime().nullable().describe('When it was taken or given up'),
            attempts: z.array(
              z.object({
                attempt: z.int(),
                status: z
                  .int()
                  .nullable()
                  .describe('The HTTP status; null where there was no answer'),
                error: z.string().nullable().describe('What went wrong where there was no answer'),
                latency_ms: z.int(),
                response_start: z.string().nullable().describe('The first KiB of the answer'),
                at: z.iso.datetime(),
              }),
            ),
          }),
        ),
        'A page of deliveries',
      ),
    },
    errors: refusals,
  }),
  replay: contract({
    ...admin,
    id: 'deliveries.replay',
    method: 'post',
    path: `${at}/{delivery_id}/replay`,
    summary: 'Deliver once more',
    request: {
      path: endpointPath.extend({ delivery_id: z.string().max(64).describe('The delivery') }),
    },
    replies: { 201: json(z.object({ delivery_id: z.string() }), 'The new delivery') },
    errors: [...refusals, 'invalid_state', 'idempotency_mismatch'],
    idempotent: true,
  }),
} as const;
