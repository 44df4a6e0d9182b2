import { family } from '../http/contract.ts';
import { smsContracts } from './contract.ts';
import { events } from './events.ts';

export const sms = family('sms', smsContracts, { events });
