import type { Db } from '../db/client.ts';
import { removeOldMails } from '../db/queries/member-mails.ts';
import { removeEndedFlows } from '../db/queries/platform-accounts.ts';
import type { Outbox } from './relay.ts';
import { sweep, type SweepDeps } from './sweep.ts';

/** Removes mails of invitations that are counted no more, with addresses nobody will write to. */
export function oldMemberMails(deps: SweepDeps & { readonly db: Db }): Outbox {
  return sweep(deps, (now, lengthMax) => removeOldMails(deps.db, now, lengthMax));
}

/** Removes consents that nobody has come back from, with the secrets of their sign-in. */
export function endedPlatformFlows(deps: SweepDeps & { readonly db: Db }): Outbox {
  return sweep(deps, (now, lengthMax) => removeEndedFlows(deps.db, now, lengthMax));
}
