import { z } from 'zod';
import { roles } from '../../domain/names.ts';
import { accountPath, roleList } from '../accounts/schemas.ts';
import { address } from '../email/schemas.ts';
import { contract, json } from '../http/contract.ts';
import { anyUrl } from '../http/fields/fields.ts';
import { polyUserId } from '../http/fields/ids.ts';
import { pageBody, pageQuery } from '../http/fields/paging.ts';
import { locale } from '../http/server/locale.ts';

const given = roleList(roles).describe(
  'Roles of the member; a caller cannot grant higher roles than their own',
);
const memberPath = accountPath.extend({ poly_user_id: polyUserId.describe('The member') });

const inviteMemberRequest = z
  .object({
    poly_user_id: polyUserId.optional().describe('The person to invite, by `poly_user_id`'),
    email: address
      .optional()
      .describe('The email address to invite; a person who proves it can accept'),
    roles: given,
    locale: locale
      .optional()
      .describe('Language of the mail (BCP 47), only with `email`; English if it is not supported'),
    return_to: anyUrl
      .optional()
      .describe(
        'Page that the mail links to, only with `email`; on our origin or on one of your apps',
      ),
  })
  .refine(({ poly_user_id, email }) => (poly_user_id === undefined) !== (email === undefined), {
    message: 'must be set if `email` is not, and only then',
    path: ['poly_user_id'],
  })
  .superRefine(({ email, ...mail }, context) => {
    for (const name of ['locale', 'return_to'] as const) {
      if (email !== undefined || mail[name] === undefined) continue;
      const message = 'is allowed only with `email`';
      context.addIssue({ code: 'custom', path: [name], message });
    }
  })
  .meta({
    id: 'InviteMemberRequest',
    example: { poly_user_id: 'pu_0123456789abcdefghjkmnpqrs', roles: ['MEMBER'] },
  });
const updateMemberRequest = z
  .object({ roles: given })
  .meta({ id: 'UpdateMemberRequest', example: { roles: ['MEMBER', 'REVIEWER'] } });

const memberBody = z
  .object({
    poly_user_id: z.string(),
    kind: z
      .enum(['cert', 'email'])
      .describe('`cert` for a certified device, `email` for login emails only'),
    roles: z.array(z.enum(roles)),
    created_at: z.iso.datetime(),
    pending: z
      .literal(true)
      .optional()
      .describe('Placeholder for a person who has not accepted yet'),
  })
  .meta({ id: 'Member' });

const admin = { auth: ['key'], keyMode: 'live', role: 'ADMIN' } as const;
const refusals = ['credential_invalid', 'not_found', 'role_required'] as const;
const at = '/v2/accounts/{account_id}/members';

export const memberContracts = {
  list: contract({
    ...admin,
    id: 'members.list',
    method: 'get',
    path: at,
    summary: 'List the members of an account, oldest first',
    request: { path: accountPath, query: z.object(pageQuery) },
    replies: { 200: json(pageBody(memberBody), 'A page of members') },
    errors: refusals,
  }),
  invite: contract({
    ...admin,
    id: 'members.invite',
    assurance: 'cert',
    method: 'post',
    path: at,
    summary: 'Invite a person or an email address to an account',
    description: [
      'Names the person by `poly_user_id`, or an address that the person has proved or will prove,',
      'by signing in or by attaching it. The person becomes a member when they accept',
      '(`accounts.accept`). Until then the answer and the list show a placeholder. It is `pending`',
      'and does not count as the last ADMIN. It can be changed or removed like any member. The',
      'invitation expires after 30 days, unless the account invites again. For an address, the',
      'answer is the same whether the service knows it or not, and whether it is mailed or not.',
      'An address gets at most one mail a day from one account and five from all accounts. After',
      '500 mails in a day, an account gets 429.',
    ].join(' '),
    request: { path: accountPath, body: inviteMemberRequest },
    replies: { 201: json(memberBody, 'The member') },
    errors: [
      ...refusals,
      'already_member',
      'forbidden_target',
      'idempotency_mismatch',
      'rate_limited',
    ],
    idempotent: true,
  }),
  update: contract({
    ...admin,
    id: 'members.update',
    assurance: 'cert',
    method: 'patch',
    path: `${at}/{poly_user_id}`,
    summary: 'Change the roles of a member',
    description: [
      'Sessions with a removed role end within five seconds. A caller cannot change a member with',
      'higher roles than their own. An account keeps at least one ADMIN.',
    ].join(' '),
    request: { path: memberPath, body: updateMemberRequest },
    replies: { 200: json(memberBody, 'The member') },
    errors: [...refusals, 'last_admin'],
  }),
  remove: contract({
    ...admin,
    id: 'members.remove',
    assurance: 'cert',
    method: 'delete',
    path: `${at}/{poly_user_id}`,
    summary: 'End a membership and its sessions',
    request: { path: memberPath },
    replies: {
      200: json(
        z.object({ poly_user_id: z.string(), deleted: z.literal(true) }),
        'Membership ended',
      ),
    },
    errors: [...refusals, 'last_admin'],
  }),
} as const;
