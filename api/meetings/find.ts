import { findMeetingOf, type MeetingRow } from '../../db/queries/meetings.ts';
import { meetingPlatforms, type MeetingPlatform } from '../../domain/names.ts';
import { bytesOfBase64url } from '../../domain/tokens/canonical-base64url.ts';
import { Failure } from '../../workflows/failures.ts';
import type { Deps } from '../deps.ts';
import type { Access } from '../http/auth/authorize.ts';

const meetingIdBytesMax = 512;

/**
 * Returns the bytes of a meeting id in any spelling: base64 or base64url, padded or not, and
 * percent-encoded once more where a client did so for the slashes. Null for any other text.
 */
export function readMeetingId(text: string): Buffer | null {
  const spelled = decoded(text)?.replace(/={1,2}$/, '') ?? '';
  const bytes = bytesOfBase64url(spelled.replaceAll('+', '-').replaceAll('/', '_'));
  return bytes && bytes.length <= meetingIdBytesMax ? bytes : null;
}

function decoded(text: string): string | null {
  try {
    return text.includes('%') ? decodeURIComponent(text) : text;
  } catch {
    return null;
  }
}

/** Returns a meeting by its platform and its id there, in any spelling; null if unknown. */
export async function meetingOf(
  deps: Pick<Deps, 'db'>,
  platform: string,
  meetingId: string,
): Promise<MeetingRow | null> {
  const known = meetingPlatforms.find((name): name is MeetingPlatform => name === platform);
  const bytes = readMeetingId(meetingId);
  return known && bytes ? findMeetingOf(deps.db, known, bytes) : null;
}

/**
 * Returns a meeting that the caller may read.
 * @throws Failure `not_found` for an unknown meeting, and for a caller of another account
 */
export async function findMeetingOrThrow(
  deps: Pick<Deps, 'db'>,
  named: { readonly platform: string; readonly meeting_id: string },
  authorize: Access['authorize'],
): Promise<MeetingRow> {
  const meeting = await meetingOf(deps, named.platform, named.meeting_id);
  if (!meeting) throw new Failure('not_found');
  authorize({ ...meeting, app_id: null });
  return meeting;
}
