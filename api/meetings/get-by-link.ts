import { findNewestMeeting } from '../../db/queries/meetings.ts';
import { isMeetingOver } from '../../workflows/meeting/state.ts';
import type { Deps } from '../deps.ts';
import { handler } from '../http/contract.ts';
import { findLinkOrThrow } from '../links/find.ts';
import { meetingContracts } from './contract.ts';
import { presentPresent } from './present.ts';

/**
 * Returns the participants of the live meeting; none without one, even after an earlier meeting.
 */
export const getByLink = handler(meetingContracts.getByLink)(async (
  { path },
  deps: Pick<Deps, 'db' | 'sealer'>,
) => {
  const link = await findLinkOrThrow(deps, path.link_uuid, undefined);
  const meeting = await findNewestMeeting(deps.db, link.link_uuid);
  const isOn = meeting !== null && !isMeetingOver(meeting.status);
  const participants = isOn ? await presentPresent(deps, meeting.meeting_key) : [];
  return { status: 200, body: { participants } };
});
