import { family } from '../http/contract.ts';
import { deliveryContracts } from './contract.ts';
import { list } from './list.ts';
import { replay } from './replay.ts';

export const deliveries = family('deliveries', deliveryContracts, { list, replay });
