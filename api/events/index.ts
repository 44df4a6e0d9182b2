import { family } from '../http/contract.ts';
import { eventContracts } from './contract.ts';
import { get } from './get.ts';
import { list } from './list.ts';

export const events = family('events', eventContracts, { list, get });
