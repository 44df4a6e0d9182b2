import { family } from '../http/contract.ts';
import { auditContracts } from './contract.ts';
import { list } from './list.ts';

export const audit = family('audit', auditContracts, { list });
