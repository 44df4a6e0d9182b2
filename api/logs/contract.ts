import { z } from 'zod';
import { contract } from '../contract.ts';

/** Logs, reports and affidavits. */
export const logContracts = {
  affidavit: contract({
    id: 'logs.affidavit',
    method: 'get',
    path: '/v2/affidavits/{app_id}/{trust_check_session_id}/download',
    summary: 'Download the signed affidavit of a session',
    auth: ['key'],
    request: {
      path: z.object({
        app_id: z.string().max(128).describe('The app of the session'),
        trust_check_session_id: z.string().max(128).describe('The session (`link_session_id`)'),
      }),
    },
    replies: { 302: { kind: 'redirect', description: 'To the file, for a short time' } },
    errors: ['credential_invalid', 'not_found'],
  }),
} as const;
