import { family } from '../contract.ts';
import { affidavit } from './affidavit.ts';
import { logContracts } from './contract.ts';
import { makeReport } from './make-report.ts';
import { meeting } from './meeting.ts';
import { meetingLogContracts } from './meeting-contract.ts';
import { report } from './report.ts';

export const logs = family(
  'logs',
  { ...logContracts, ...meetingLogContracts },
  { affidavit, meeting, makeReport, report },
);
