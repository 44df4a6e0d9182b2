import { family } from '../http/contract.ts';
import { timestampContracts } from './contract.ts';
import { stamp } from './stamp.ts';

export const timestamps = family('timestamps', timestampContracts, { stamp });
