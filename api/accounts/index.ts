import { family } from '../http/contract.ts';
import { accept } from './accept.ts';
import { accountContracts } from './contract.ts';
import { decline } from './decline.ts';
import { get } from './get.ts';
import { invitations } from './invitations.ts';
import { leave } from './leave.ts';
import { list } from './list.ts';
import { update } from './update.ts';

export const accounts = family('accounts', accountContracts, {
  list,
  get,
  invitations,
  accept,
  decline,
  leave,
  update,
});
