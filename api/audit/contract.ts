import { z } from 'zod';
import { auditActions } from '../../domain/names.ts';
import { accountPath } from '../accounts/schemas.ts';
import { contract } from '../http/contract.ts';
import { pageBody, pageQuery } from '../http/fields/paging.ts';

const hash = z.string().regex(/^[0-9a-f]{64}$/);

export const auditRowBody = z
  .object({
    seq: z.int().describe('From 1, without a gap'),
    at: z.iso.datetime(),
    action: z.string().describe(`What was done: ${auditActions.join(', ')}`),
    actor: z
      .string()
      .describe(
        'The key or the person; `operator` for the command line, `anybody` where an address is ' +
          'all that was asked for',
      ),
    actor_name: z.string().nullable().describe('What the key is called'),
    object_id: z.string().describe('What was changed'),
    details: z.record(z.string(), z.unknown()).describe('What differs, `from` and `to`'),
    previous_hash: hash.describe('Of the row before; zeros before the first'),
    hash: hash.describe('SHA-256 of the row, in hex'),
  })
  .meta({ id: 'AuditRow' });

export const auditContracts = {
  list: contract({
    id: 'audit.list',
    method: 'get',
    path: '/v2/accounts/{account_id}/audit',
    summary: 'Who changed what of the account, newest first',
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
