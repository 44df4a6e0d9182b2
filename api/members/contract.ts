import { z } from 'zod';
import { roles } from '../../db/names.ts';
import { accountPath, roleList } from '../accounts/schemas.ts';
import { contract, json } from '../contract.ts';
import { address } from '../email/schemas.ts';
import { anyUrl } from '../links/fields.ts';
import { locale } from '../locale.ts';
import { pageBody, pageQuery } from '../paging.ts';
import { polyUserId } from '../poly-user-id.ts';

const given = roleList(roles).describe('What they may do; nobody grants more than they hold');
const memberPath = accountPath.extend({ poly_user_id: polyUserId.describe('The member') });

const inviteMemberRequest = z
  .object({
    poly_user_id: polyUserId.optional().describe('Whom to invite: as their own session names them'),
    email: address
      .optional()
      .describe('Or an address: the person who proves it by a mail can accept'),
    roles: given,
    locale: locale
      .optional()
      .describe(
        'The language of the mail (BCP 47), with an address; English where it is not spoken',
      ),
    return_to: anyUrl
      .optional()
      .describe(
        'The page the mail leads to, with an address: its origin is ours or of an app of yours',
      ),
  })
  .refine(({ poly_user_id, email }) => (poly_user_id === undefined) !== (email === undefined), {
    message: 'must name a person or an address, and not both',
    path: ['poly_user_id'],
  })
  .superRefine(({ email, ...mail }, context) => {
    for (const name of ['locale', 'return_to'] as const) {
      if (email !== undefined || mail[name] === undefined) continue;
      const message = 'of the mail to an address: nobody else is mailed';
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
      .describe('Whether they have a certified device, or login emails alone'),
    roles: z.array(z.enum(roles)),
    created_at: z.iso.datetime(),
    pending: z
      .literal(true)
      .optional()
      .describe('They hold the place of who has not accepted, or proved their address, yet'),
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
    summary: 'Members of an account, the first one first',
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
    summary: 'Invite a person, or an address, to be a member',
    description: [
      'A person named by their id is a member once they accept, in a session of their own',
      '(`accounts.accept`); until then the answer and the list show who holds their place.',
      'Of an address the answer is the same whether we know it or not: somebody who holds its',
      'place and can be changed or removed like any member. A person who has proved the address,',
      'by signing in or by attaching it, sees the invitation and accepts or declines it like any',
      'other;',
      'then they are in the list instead. Until then it is `pending`, and no ADMIN that would be',
      'enough; after 30 days nobody can accept it, unless it is invited again. The address is',
      'mailed, at most once a day by one account',
      'and five times by all; the answer tells nothing of it. Beyond 500 mails a day an account',
      'gets 429.',
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
    summary: 'Give a member other roles',
    description: [
      'Sessions that hold a role which is taken away end within five seconds. Nobody changes a',
      'member who holds more than they do, and one ADMIN is always left.',
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
    summary: 'End a membership, and the sessions that stand on it',
    request: { path: memberPath },
    replies: {
      200: json(z.object({ poly_user_id: z.string(), deleted: z.literal(true) }), 'It has ended'),
    },
    errors: [...refusals, 'last_admin'],
  }),
} as const;
