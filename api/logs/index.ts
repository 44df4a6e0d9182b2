import { family } from '../contract.ts';
import { account } from './account.ts';
import { affidavit } from './affidavit.ts';
import { continuity } from './continuity.ts';
import { logContracts } from './contract.ts';
import { me } from './me.ts';
import { photo } from './photo.ts';
import { streamContracts } from './stream-contracts.ts';
import { user } from './user.ts';

export const logs = family(
  'logs',
  { ...streamContracts, ...logContracts },
  { me, account, user, continuity, affidavit, photo },
);
