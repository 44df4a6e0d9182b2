import { z } from 'zod';
import { auditActions } from '../../domain/names.ts';
import { accountPath } from '../accounts/schemas.ts';
import { contract } from '../http/contract.ts';
import { pageBody, pageQuery } from '../http/fields/paging.ts';

const hash = z.string().regex(/^[0-9a-f]{64}$/);

export const auditRowBody = z
  .object({
    seq: z.int().describe('Number of the row, from 1 without gaps'),
    at: z.iso.datetime(),
    action: z.string().describe(`Action: ${auditActions.join(', ')}`),
    actor: z
      .string()
      .describe(
        'ID of the API key or person; `operator` for the command line, `anybody` for an ' +
          'operation without a credential',
      ),
    actor_name: z.string().nullable().describe('Name of the API key'),
    object_id: z.string().describe('ID of the changed object'),
    details: z.record(z.string(), z.unknown()).describe('Changed members, with `from` and `to`'),
    previous_hash: hash.describe('`hash` of the previous row; zeros for the first row'),
    hash: hash.describe('SHA-256 of the row, in hex'),
  })
  .meta({ id: 'AuditRow' });

export const auditContracts = {
  list: contract({
    id: 'audit.list',
    method: 'get',
    path: '/v2/accounts/{account_id}/audit',
    summary: 'List the changes of the account, newest first',
    description: [
      'Rows are only added, each in the transaction of its change. `hash` is the',
      'SHA-256 of canonical JSON (RFC 8785) with the members `account_id`, `seq`, `at`, `action`,',
      '`actor`, `object_id`, `details` and `previous_hash`, so that no row can be changed or left',
      'out without changing all that follow: one kept hash shows it.',
    ].join(' '),
    auth: ['key'],
    keyMode: 'live',
    role: 'ADMIN',
    request: { path: accountPath, query: z.object(pageQuery) },
    replies: {
      200: { kind: 'json', schema: pageBody(auditRowBody), description: 'A page of rows' },
    },
    errors: ['credential_invalid', 'not_found', 'role_required'],
  }),
} as const;
