import { family } from '../http/contract.ts';
import { callback } from './callback.ts';
import { calendarContracts } from './contract.ts';
import { routingAddresses } from './routing-addresses.ts';
import { start } from './start.ts';

export const calendar = family('calendar', calendarContracts, {
  start,
  routingAddresses,
  callback,
});
