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

/** Removes mails of invitations that are counted no more, with addresses nobody will write to. */
export function oldMemberMails(deps: SweepDeps & { readonly db: Db }): Outbox {
  return sweep(deps, (now, lengthMax) => removeOldMails(deps.db, now, lengthMax));
}

/** Removes consents that nobody has come back from, with the secrets of their sign-in. */
export function endedPlatformFlows(deps: SweepDeps & { readonly db: Db }): Outbox {
  return sweep(deps, (now, lengthMax) => removeEndedFlows(deps.db, now, lengthMax));
}

/** Removes JWTs behind tokens that nobody exchanged in five minutes (domain §6). */
export function oldInvites(deps: SweepDeps & { readonly db: Db }): Outbox {
  return sweep(deps, (now, lengthMax) => removeOldInvites(deps.db, now, lengthMax));
}

/** Removes requests for mails that are counted no more, with the addresses they are for. */
export function oldEmailRequests(deps: SweepDeps & { readonly db: Db }): Outbox {
  return sweep(deps, (now, lengthMax) => removeOldRequests(deps.db, now, lengthMax));
}

/** Removes ways to a calendar that nobody has come back from, with the secrets of their sign-in. */
export function endedCalendarFlows(deps: SweepDeps & { readonly db: Db }): Outbox {
  return sweep(deps, (now, lengthMax) => removeEndedCalendarFlows(deps.db, now, lengthMax));
}

/** Removes codes of calendars that could not be exchanged. */
export function oldCalendarAnswers(deps: SweepDeps & { readonly db: Db }): Outbox {
  return sweep(deps, (now, lengthMax) => removeOldCalendarAnswers(deps.db, now, lengthMax));
}

/** Removes marks by which frames of faces were known again, once their time is over. */
export function endedFaceMarks(deps: SweepDeps & { readonly db: Db }): Outbox {
  return sweep(deps, (now, lengthMax) => removeEndedMarks(deps.db, now, lengthMax));
}
