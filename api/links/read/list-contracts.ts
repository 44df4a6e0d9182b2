import { z } from 'zod';
import { linkStates } from '../../../domain/names.ts';
import { contract } from '../../http/contract.ts';
import { accountId } from '../../http/fields/ids.ts';
import { filterQuery } from '../../http/fields/list-filters.ts';
import { cursorPageBody, searchedPageQuery } from '../../http/fields/paging.ts';
import { linkBody } from '../schemas.ts';

/** Lists omit deleted links. */
const listedStates = linkStates.filter((state) => state !== 'deleted');
const query = z.object({
  ...searchedPageQuery,
  status: z.enum(listedStates).optional().describe('Returns only links in this state'),
  ...filterQuery,
});
export { query as linkListQuery };
const page = {
  kind: 'json',
  schema: cursorPageBody(linkBody).meta({ id: 'LinkPage' }),
  description: 'Links, newest first unless `sort` says otherwise',
} as const;
const listing = {
  method: 'get',
  description: [
    '`search` finds whole words, in any case and accents, among the first 32 words of title or',
    'reference, and parts of link ids. `next_cursor`, sent as `cursor`, continues after the last',
    'item; `page` is then ignored. A cursor needs the same filters and sort.',
  ].join(' '),
  auth: ['key'],
  keyMode: 'either',
  admitsAppKeys: true,
  role: 'VIEWER',
  replies: { 200: page },
  errors: ['credential_invalid', 'not_found', 'role_required'],
} as const;
const accountOfLinks = accountId.describe('Account of the links');

/**
 * Lists of links. The published API declares no credential for three of them. They need one here,
 * because their rows belong to one account.
 */
export const linkListContracts = {
  list: contract({
    ...listing,
    id: 'links.list',
    path: '/v2/links/{account_id}/{app_id}',
    summary: 'List the links of an app',
    request: {
      path: z.object({
        account_id: accountOfLinks,
        app_id: z.string().min(1).max(64).describe('App of the links'),
      }),
      query,
    },
  }),
  listMeetings: contract({
    ...listing,
    id: 'links.listMeetings',
    path: '/v2/listlinks',
    summary: 'List the meeting links of the account',
    request: { query },
  }),
  listMeetingsOfPlatform: contract({
    ...listing,
    id: 'links.listMeetingsOfPlatform',
    path: '/v2/listlinks/{conf_a_account_id}',
    summary: 'List the meeting links of an account of conference platform A',
    request: {
      path: z.object({
        conf_a_account_id: z
          .string()
          .min(1)
          .max(200)
          .describe('ID of the account on conference platform A'),
      }),
      query,
    },
  }),
  listConfB: contract({
    ...listing,
    id: 'links.listConfB',
    path: '/v2/list-conf-b-links',
    summary: 'List the meeting links of the account for conference platform B',
    request: { query },
  }),
  listInvites: contract({
    ...listing,
    id: 'links.listInvites',
    path: '/v2/invite-links/{account_id}',
    summary: 'List the invite links of an account',
    request: { path: z.object({ account_id: accountOfLinks }), query },
  }),
} as const;
