import { family } from '../http/contract.ts';
import { memberContracts } from './contract.ts';
import { invite } from './invite.ts';
import { list } from './list.ts';
import { remove } from './remove.ts';
import { update } from './update.ts';

export const members = family('members', memberContracts, { list, invite, update, remove });
