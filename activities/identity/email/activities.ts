import type { Db } from '../../../db/client.ts';
import { findApp } from '../../../db/queries/credentials.ts';
import {
  admitEmailRequest,
  dropEmailRequest,
  expireEmailRequests,
  findEmailRequest,
  noteMailed,
  promoteEmailRequest,
  respellEmailRequest,
  type EmailRequestRow,
} from '../../../db/queries/email-requests.ts';
import { findInvitedSpelling } from '../../../db/queries/invited-addresses.ts';
import { findLoginEmail, type LoginEmailRow } from '../../../db/queries/login-emails.ts';
import { platformOwner, type Sealer } from '../../../db/sealing/sealed.ts';
import { writtenLanguage } from '../../../domain/languages/spoken.ts';
import { emailToken } from '../../../domain/tokens/email-token.ts';
import type { Mailer } from '../../delivery/mail/port.ts';
import type { MasterSecrets } from '../../keys/directory/master-secrets.ts';
import { invitationLifeMs } from '../invite.ts';
import { openLoginEmail } from './answer.ts';
import { addressContext } from './requests.ts';
import { writeEmail } from './write.ts';

export interface EmailActivities {
  /** Mails the token of a request, or drops the request if the address must not get mail. */
  sendEmail(input: { request_id: string }): Promise<{ status: 'sent' | 'dropped' }>;
  /** Expires requests that were not answered in time. */
  closeEmailRequests(input: { request_ids: readonly string[] }): Promise<void>;
}

export interface EmailDeps {
  readonly db: Db;
  readonly sealer: Sealer;
  readonly mailer: Mailer;
  readonly clock: () => Date;
  readonly baseUrl: string;
  readonly keys: Pick<MasterSecrets, 'secretOf'>;
}

/**
 * Mails per day, with separate limits by purpose and by requester: a single stranger cannot use up
 * the mails with which the owner signs in.
 */
export const dailyMails = {
  login: { toAddress: 20, toAddressByAsker: 5, byPerson: null },
  attach: { toAddress: 6, toAddressByAsker: 3, byPerson: 20 },
} as const;

/**
 * Returns the activities of login emails. Only they handle known and unknown addresses differently.
 */
export function createEmailActivities(deps: EmailDeps): EmailActivities {
  return {
    sendEmail: (input) => send(deps, input.request_id),
    closeEmailRequests: (input) => expireEmailRequests(deps.db, input.request_ids, deps.clock()),
  };
}

async function send(deps: EmailDeps, requestId: string): Promise<{ status: 'sent' | 'dropped' }> {
  const request = await findEmailRequest(deps.db, requestId);
  if (!request || request.expires_at <= deps.clock()) return { status: 'dropped' };
  const known = await findLoginEmail(deps.db, request.address_blind);
  const secret = deps.keys.secretOf('email-token', request.secret_version);
  if (!secret || !(await mayHaveMail(deps, request, known))) {
    await dropEmailRequest(deps.db, requestId);
    return { status: 'dropped' };
  }
  if (!(await promoteEmailRequest(deps.db, requestId))) return { status: 'dropped' };
  // A token of purpose `attach` adopts the owner of the address, so it never goes to a page of an
  // app.
  const isAttached = request.purpose === 'attach';
  const to = await spellingOf(deps, request, known);
  const language = writtenLanguage(request.locale);
  const ours = `${deps.baseUrl}/email/verify?locale=${language}`;
  const page = (!isAttached && request.return_to) || ours;
  const token = emailToken(secret, requestId);
  const url = `${page}#t=${token}${isAttached ? '&p=attach' : ''}`;
  const app = request.app_id === null ? null : await findApp(deps.db, request.app_id);
  await deps.mailer.send({
    to,
    ...writeEmail({
      purpose: request.purpose,
      language,
      url,
      site: app?.name ?? new URL(deps.baseUrl).host,
      ...(app && { asker: { account: app.account_name, isVerified: app.account_verified } }),
    }),
    idempotencyKey: `email/${requestId}`,
    category: `email-${request.purpose}`,
  });
  await noteMailed(deps.db, requestId, deps.clock());
  return { status: 'sent' };
}

/**
 * Whether the address may get this mail: it is not revoked, and its limits leave room.
 */
async function mayHaveMail(
  deps: EmailDeps,
  request: EmailRequestRow,
  known: LoginEmailRow | null,
): Promise<boolean> {
  const { request_id: id, purpose } = request;
  if (purpose === 'login' && known?.status === 'REVOKED') return false;
  return admitEmailRequest(deps.db, id, deps.clock(), dailyMails[purpose]);
}

/**
 * Returns the address to mail to: as it was proved, else as it was invited, else as it was
 * requested. A requester who spells it differently cannot redirect the mail. The answer proves
 * exactly the spelling that was mailed.
 */
async function spellingOf(
  { db, sealer, clock }: EmailDeps,
  request: EmailRequestRow,
  known: LoginEmailRow | null,
): Promise<string> {
  const { request_id: id, address_blind: blind } = request;
  if (known) return openLoginEmail({ sealer }, known);
  const since = new Date(clock().getTime() - invitationLifeMs);
  const invited = await findInvitedSpelling(db, blind, since);
  if (!invited) {
    return (
      await sealer.open(platformOwner, addressContext(id), request.address_sealed)
    ).toString();
  }
  const spelling = await openLoginEmail({ sealer }, { email_blind: blind, email_sealed: invited });
  const sealed = await sealer.seal(platformOwner, addressContext(id), spelling);
  await respellEmailRequest(db, id, sealed);
  return spelling;
}
