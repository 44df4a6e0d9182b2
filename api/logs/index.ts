import { family } from '../contract.ts';
import { affidavit } from './affidavit.ts';
import { logContracts } from './contract.ts';

export const logs = family('logs', logContracts, { affidavit });
