import { family } from '../http/contract.ts';
import { ssoProviderContracts } from './contract.ts';
import { list } from './list.ts';
import { put } from './put.ts';
import { remove } from './remove.ts';

export const ssoProviders = family('sso-providers', ssoProviderContracts, { list, put, remove });
