import { z } from 'zod';
import { contract, json } from '../http/contract.ts';
import { pageBody, pageQuery } from '../http/fields/paging.ts';
import { openRecoveryRequest, recoveryBody, recoveryPath, subjectPath } from './schemas.ts';

const admin = { auth: ['key'], keyMode: 'live', role: 'ADMIN', scope: 'members:write' } as const;
const refusals = ['credential_invalid', 'not_found', 'role_required'] as const;
const at = '/v2/accounts/{account_id}/members/{poly_user_id}/recoveries';

/** Only a person with a recent device proof decides. API keys are refused. */
const decision = {
  ...admin,
  assurance: 'cert',
  method: 'post',
  request: { path: recoveryPath },
  replies: { 200: json(recoveryBody, 'The recovery') },
} as const;
const decided = [...refusals, 'invalid_state', 'session_required'] as const;

/** Recovery of people who lost every device (docs/decisions/007-people-and-sign-in.md). */
export const recoveryContracts = {
  list: contract({
    ...admin,
    id: 'recoveries.list',
    scope: 'members:read',
    method: 'get',
    path: at,
    summary: 'List the recoveries of a member, newest first',
    request: { path: subjectPath, query: z.object(pageQuery) },
    replies: { 200: json(pageBody(recoveryBody), 'A page of recoveries') },
    errors: refusals,
  }),
  open: contract({
    ...admin,
    id: 'recoveries.open',
    assurance: 'cert',
    method: 'post',
    path: at,
    summary: 'Open a recovery for a member who lost every device',
    description: [
      'Mails the member a single-use link to a check of the document they have shown in this',
      'account before, and of their face. When the check has passed, another ADMIN approves it.',
      'From then on the member signs in by mail and enrolls a new device (`devices.enroll`), which',
      'revokes all others. It ends 7 days after it was opened. The member has at most one open',
      'recovery, and every step is mailed to all their addresses.',
    ].join(' '),
    request: { path: subjectPath, body: openRecoveryRequest },
    replies: { 201: json(recoveryBody, 'The recovery') },
    errors: [
      ...refusals,
      'idempotency_mismatch',
      'rate_limited',
      'recovery_open',
      'recovery_unavailable',
      'second_admin_required',
      'session_required',
    ],
    idempotent: true,
  }),
  approve: contract({
    ...decision,
    id: 'recoveries.approve',
    path: `${at}/{recovery_id}/approve`,
    summary: 'Approve a recovery whose check has passed',
    description:
      'By an ADMIN who neither opened it nor is its subject. Look at the check before you approve.',
    errors: [...decided, 'four_eyes_required', 'recovery_not_proven'],
  }),
  deny: contract({
    ...decision,
    id: 'recoveries.deny',
    path: `${at}/{recovery_id}/deny`,
    summary: 'Deny a recovery',
    description: 'By an ADMIN who neither opened it nor is its subject.',
    errors: [...decided, 'four_eyes_required'],
  }),
  cancel: contract({
    ...decision,
    id: 'recoveries.cancel',
    path: `${at}/{recovery_id}/cancel`,
    summary: 'Cancel a recovery that is open or approved',
    errors: decided,
  }),
} as const;
