import type { Deps } from '../deps.ts';
import { handler } from '../http/contract.ts';
import { meetingContracts } from './contract.ts';
import { findMeetingOrThrow } from './find.ts';
import { presentMeeting } from './present.ts';

export const get = handler(meetingContracts.get)(async (
  { path, authorize },
  deps: Pick<Deps, 'db' | 'sealer'>,
) => {
  const meeting = await findMeetingOrThrow(deps, path, authorize);
  return { status: 200, body: await presentMeeting(deps, meeting) };
});
