import { family } from '../http/contract.ts';
import { account } from './account.ts';
import { affidavit } from './affidavit.ts';
import { continuity } from './continuity.ts';
import { logContracts } from './contract.ts';
import { makeReport } from './make-report.ts';
import { me } from './me.ts';
import { meetingLogContracts } from './meeting-contract.ts';
import { meeting } from './meeting.ts';
import { photo } from './photo.ts';
import { report } from './report.ts';
import { streamContracts } from './stream-contracts.ts';
import { user } from './user.ts';

export const logs = family(
  'logs',
  { ...streamContracts, ...logContracts, ...meetingLogContracts },
  { me, account, user, continuity, affidavit, photo, meeting, makeReport, report },
);
