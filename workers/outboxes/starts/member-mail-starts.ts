import type { Client } from '@temporalio/client';
import { startOfMemberInvitation } from '../../../activities/identity/members/start.ts';
import type { Db } from '../../../db/client.ts';
import {
  listUnstartedMails,
  markMailStarted,
  memberMailsChannel,
  type MemberMailRow,
} from '../../../db/queries/member-mails.ts';
import type { Outbox } from '../relay.ts';
import { dispatchOutbox, type DispatchDeps } from '../outbox-dispatcher.ts';

/** Starts the mail workflow of every stored invitation to an account. */
export function memberMailStarts(
  deps: DispatchDeps & { readonly db: Db; readonly client: Client },
): Outbox {
  const unmailed = {
    list: (lengthMax: number, without: readonly string[]) =>
      listUnstartedMails(deps.db, lengthMax, without),
    idOf: ({ mail_id }: MemberMailRow) => mail_id,
    start: (mail: MemberMailRow) =>
      deps.client.workflow.start('memberInvitation', startOfMemberInvitation(mail)),
    mark: ({ mail_id }: MemberMailRow) => markMailStarted(deps.db, mail_id),
  };
  return {
    channel: memberMailsChannel,
    countedAs: 'member_mails',
    drain: (signal) => dispatchOutbox(unmailed, deps, signal),
  };
}
