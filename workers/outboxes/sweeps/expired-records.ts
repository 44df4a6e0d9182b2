import type { Db } from '../../../db/client.ts';
import {
  removeEndedCalendarFlows,
  removeOldCalendarAnswers,
} from '../../../db/queries/calendar-flows.ts';
import { removeOldRequests } from '../../../db/queries/email-requests.ts';
import { removeEndedMarks } from '../../../db/queries/face-marks.ts';
import { removeOldInvites } from '../../../db/queries/invite-tokens.ts';
import { removeOldMails } from '../../../db/queries/member-mails.ts';
import { removeEndedFlows } from '../../../db/queries/platform-accounts.ts';
import type { Outbox } from '../relay.ts';
import { sweep, type SweepDeps } from '../sweep.ts';

/** Removes invitation mails that no longer count towards a limit, with their addresses. */
export function oldMemberMails(deps: SweepDeps & { readonly db: Db }): Outbox {
  return sweep(deps, (now, lengthMax) => removeOldMails(deps.db, now, lengthMax));
}

/** Removes unfinished consent flows of platforms, with their sign-in secrets. */
export function endedPlatformFlows(deps: SweepDeps & { readonly db: Db }): Outbox {
  return sweep(deps, (now, lengthMax) => removeEndedFlows(deps.db, now, lengthMax));
}

/** Removes JWTs of invite tokens that were not exchanged within five minutes. */
export function oldInvites(deps: SweepDeps & { readonly db: Db }): Outbox {
  return sweep(deps, (now, lengthMax) => removeOldInvites(deps.db, now, lengthMax));
}

/** Removes mail requests that no longer count towards a limit, with their addresses. */
export function oldEmailRequests(deps: SweepDeps & { readonly db: Db }): Outbox {
  return sweep(deps, (now, lengthMax) => removeOldRequests(deps.db, now, lengthMax));
}

/** Removes unfinished consent flows of calendars, with their sign-in secrets. */
export function endedCalendarFlows(deps: SweepDeps & { readonly db: Db }): Outbox {
  return sweep(deps, (now, lengthMax) => removeEndedCalendarFlows(deps.db, now, lengthMax));
}

/** Removes authorization codes of calendars that were not exchanged. */
export function oldCalendarAnswers(deps: SweepDeps & { readonly db: Db }): Outbox {
  return sweep(deps, (now, lengthMax) => removeOldCalendarAnswers(deps.db, now, lengthMax));
}

/** Removes expired marks, by which repeated face frames are recognized. */
export function endedFaceMarks(deps: SweepDeps & { readonly db: Db }): Outbox {
  return sweep(deps, (now, lengthMax) => removeEndedMarks(deps.db, now, lengthMax));
}
