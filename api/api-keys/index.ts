import { family } from '../http/contract.ts';
import { apiKeyContracts } from './contract.ts';
import { create } from './create.ts';
import { list } from './list.ts';
import { revoke } from './revoke.ts';
import { rotate } from './rotate.ts';

export const apiKeys = family('api-keys', apiKeyContracts, { list, create, revoke, rotate });
