import { family } from '../contract.ts';
import { affidavit } from './affidavit.ts';
import { logContracts } from './contract.ts';
import { photo } from './photo.ts';

export const logs = family('logs', logContracts, { affidavit, photo });
