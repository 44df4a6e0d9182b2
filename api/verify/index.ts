import { family } from '../http/contract.ts';
import { affidavit } from './affidavit.ts';
import { verifyContracts } from './contract.ts';
import { page } from './page.ts';

export const verify = family('verify', verifyContracts, { affidavit, page });
