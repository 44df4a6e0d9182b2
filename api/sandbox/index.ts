import { family } from '../http/contract.ts';
import { advance } from './advance.ts';
import { sandboxContracts } from './contract.ts';
import { event } from './event.ts';

export const sandbox = family('sandbox', sandboxContracts, { advance, event });
