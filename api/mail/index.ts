import { family } from '../http/contract.ts';
import { mailContracts } from './contract.ts';
import { events } from './events.ts';

export const mail = family('mail', mailContracts, { events });
