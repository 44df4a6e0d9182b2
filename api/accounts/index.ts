import { family } from '../contract.ts';
import { accountContracts } from './contract.ts';
import { get } from './get.ts';
import { list } from './list.ts';
import { update } from './update.ts';

export const accounts = family('accounts', accountContracts, { list, get, update });
