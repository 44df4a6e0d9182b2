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
    summary: 'List deliveries with their attempts, newest first',
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
            replay: z.int().describe('0 for the first delivery, one more for each replay'),
            status: z.string(),
            created_at: z.iso.datetime(),
            finished_at: z.iso.datetime().nullable().describe('When it was accepted or has failed'),
            attempts: z.array(
              z.object({
                attempt: z.int(),
                status: z
                  .int()
                  .nullable()
                  .describe('HTTP status of the response; null without a response'),
                error: z.string().nullable().describe('Error, if there was no response'),
                latency_ms: z.int(),
                response_start: z.string().nullable().describe('First KiB of the response'),
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
    summary: 'Replay a delivery',
    request: {
      path: endpointPath.extend({ delivery_id: z.string().max(64).describe('The delivery') }),
    },
    replies: { 201: json(z.object({ delivery_id: z.string() }), 'The new delivery') },
    errors: [...refusals, 'invalid_state', 'idempotency_mismatch'],
    idempotent: true,
  }),
} as const;
