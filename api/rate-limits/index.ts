import { family } from '../http/contract.ts';
import { rateLimitContracts } from './contract.ts';
import { get } from './get.ts';

export const rateLimits = family('rate-limits', rateLimitContracts, { get });
