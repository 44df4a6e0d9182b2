import type { Db } from '../../../db/client.ts';
import { findLoginEmail } from '../../../db/queries/login-emails.ts';
import {
  admitMemberMail,
  closeMemberMail,
  findMemberMail,
  type InvitedMail,
} from '../../../db/queries/member-mails.ts';
import { accountOwner, type Sealer } from '../../../db/sealing/sealed.ts';
import { writtenLanguage } from '../../../domain/languages/spoken.ts';
import { Failure } from '../../../workflows/failures.ts';
import {
  memberInvitationWorkflowId,
  type MemberInvitationInput,
  type MemberMailed,
} from '../../../workflows/member-invitation/messages.ts';
import type { Letter } from '../../delivery/letters/compose.ts';
import type { Mailer } from '../../delivery/mail/port.ts';
import { invitationLifeMs } from '../invite.ts';
import { addressContext } from './mails.ts';
import { writeMemberInvitation, writeRecoveryNotice } from './write.ts';

export interface MemberActivities {
  /** Mails an invitation to an account, or drops it if the address must not get it. */
  sendMemberInvitation(input: MemberInvitationInput): Promise<MemberMailed>;
  /** Deletes the address of a mail that could not be sent. */
  closeMemberInvitation(input: MemberInvitationInput): Promise<void>;
}

export interface MemberDeps {
  readonly db: Db;
  readonly sealer: Sealer;
  readonly mailer: Mailer;
  readonly clock: () => Date;
  readonly baseUrl: string;
}

/** Mails to one address in a day, over all accounts. */
export const dailyMax = 5;

/** Returns the activities of an invitation mail. Each can be repeated. */
export function createMemberActivities(deps: MemberDeps): MemberActivities {
  return {
    sendMemberInvitation: ({ mail_id: mailId }) => send(deps, mailId),
    closeMemberInvitation: ({ mail_id: mailId }) => closeMemberMail(deps.db, mailId, null),
  };
}

async function send(deps: MemberDeps, mailId: string): Promise<MemberMailed> {
  const mail = await findMemberMail(deps.db, mailId);
  if (!mail) throw new Failure('not_found');
  if (mail.mailed_at) return { status: 'sent' };
  if (!mail.address_sealed || !(await mayHaveMail(deps, mail))) return end(deps, mailId, 'dropped');
  const owner = accountOwner(mail.account_id);
  const address = await deps.sealer.open(owner, addressContext(mailId), mail.address_sealed);
  const letter = letterOf(deps, mail);
  try {
    await deps.mailer.send({
      to: address.toString(),
      ...letter,
      idempotencyKey: memberInvitationWorkflowId(mailId),
      category: mail.kind === 'invitation' ? 'member-invitation' : 'recovery',
    });
  } catch (error) {
    if (!(error instanceof Failure && error.code === 'mail_rejected')) throw error;
    return end(deps, mailId, 'failed');
  }
  return end(deps, mailId, 'sent');
}

function letterOf({ baseUrl }: MemberDeps, mail: InvitedMail): Letter {
  const facts = {
    language: writtenLanguage(mail.locale),
    account: mail.account_name,
    site: new URL(baseUrl).host,
  };
  if (mail.kind !== 'invitation') {
    return writeRecoveryNotice({ ...facts, url: baseUrl, step: stepOf[mail.kind] });
  }
  const until = new Date(mail.created_at.getTime() + invitationLifeMs);
  return writeMemberInvitation({ ...facts, url: mail.return_to ?? baseUrl, until });
}

const stepOf = {
  recovery_opened: 'opened',
  recovery_approved: 'approved',
  recovery_completed: 'completed',
} as const;

/**
 * Whether the address may get the mail: not if it was revoked, or its member was removed (domain
 * §6).
 */
async function mayHaveMail({ db, clock }: MemberDeps, mail: InvitedMail): Promise<boolean> {
  if (mail.kind === 'invitation' && !mail.is_pending) return false;
  if ((await findLoginEmail(db, mail.email_blind))?.status === 'REVOKED') return false;
  if (mail.kind !== 'invitation') return true;
  return admitMemberMail(db, mail.mail_id, clock(), dailyMax);
}

async function end(
  { db, clock }: MemberDeps,
  mailId: string,
  status: MemberMailed['status'],
): Promise<MemberMailed> {
  await closeMemberMail(db, mailId, status === 'sent' ? clock() : null);
  return { status };
}
