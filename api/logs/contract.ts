import { z } from 'zod';
import { contract } from '../http/contract.ts';

/** Logs, reports and affidavits. */
export const logContracts = {
  affidavit: contract({
    id: 'logs.affidavit',
    method: 'get',
    path: '/v2/affidavits/{app_id}/{trust_check_session_id}/download',
    summary: 'Download the signed affidavit of a session',
    auth: ['key'],
    keyMode: 'either',
    admitsAppKeys: true,
    request: {
      path: z.object({
        app_id: z.string().max(128).describe('The app of the session'),
        trust_check_session_id: z.string().max(128).describe('The session (`link_session_id`)'),
      }),
    },
    replies: {
      302: { kind: 'redirect', description: 'Redirect to the file, valid for a short time' },
    },
    errors: ['credential_invalid', 'not_found'],
  }),
  photo: contract({
    id: 'logs.photo',
    method: 'get',
    path: '/v2/photo/{bucket_name}/{object_path}',
    summary: 'Get a verified image',
    description: [
      'Anyone with the address of a photo sees it until its retention ends or its check is',
      'redacted. A photo that does not exist is 404.',
    ].join(' '),
    auth: ['public'],
    unknownFields: 'ignored',
    request: {
      path: z.object({
        bucket_name: z.string().max(512).describe('`photos`'),
        object_path: z.string().max(512).describe('Name of the image, as in its URL'),
      }),
    },
    replies: {
      302: { kind: 'redirect', description: 'Redirect to the image, valid for one minute' },
    },
    errors: ['not_found'],
    limit: { points: 120, seconds: 60, by: 'address' },
  }),
} as const;
