import type { Db } from '../../db/client.ts';
import {
  admitEmailRequest,
  dropEmailRequest,
  expireEmailRequests,
  findEmailRequest,
  noteMailed,
  promoteEmailRequest,
  type EmailRequestRow,
} from '../../db/queries/email-requests.ts';
import { findApp } from '../../db/queries/credentials.ts';
import { findLoginEmail, type LoginEmailRow } from '../../db/queries/login-emails.ts';
import { platformOwner, type Sealer } from '../../db/sealed.ts';
import { writtenLanguage } from '../languages/spoken.ts';
import type { Mailer } from '../mail/port.ts';
import { emailToken } from '../tokens/email-token.ts';
import { addressContext } from './requests.ts';
import { writeEmail } from './write.ts';

export interface EmailActivities {
  /** Mails the token of a request, unless the address may not have it; says which. */
  sendEmail(input: { request_id: string }): Promise<{ status: 'sent' | 'dropped' }>;
  /** Ends what was asked for and not answered in its time. */
  closeEmailRequests(input: { request_ids: readonly string[] }): Promise<void>;
}

export interface EmailDeps {
  readonly db: Db;
  readonly sealer: Sealer;
  readonly mailer: Mailer;
  readonly clock: () => Date;
  readonly baseUrl: string;
  readonly emailSecret: Uint8Array;
}

/** Apart by purpose and by asker, so that no single stranger spends what its owner signs in by. */
export const dailyMails = {
  login: { toAddress: 20, toAddressByAsker: 5, byPerson: null },
  attach: { toAddress: 6, toAddressByAsker: 3, byPerson: 20 },
} as const;

/** What the flows of login emails do: here alone it matters who has an address. */
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
  if (!(await mayHaveMail(deps, request, known))) {
    await dropEmailRequest(deps.db, requestId);
    return { status: 'dropped' };
  }
  if (!(await promoteEmailRequest(deps.db, requestId))) return { status: 'dropped' };
  const address = await deps.sealer.open(
    platformOwner,
    addressContext(requestId),
    request.address_sealed,
  );
  const page = request.return_to ?? `${deps.baseUrl}/email/verify`;
  const token = emailToken(deps.emailSecret, requestId);
  const url = `${page}#t=${token}${request.purpose === 'attach' ? '&p=attach' : ''}`;
  const app = request.app_id === null ? null : await findApp(deps.db, request.app_id);
  await deps.mailer.send({
    to: address.toString(),
    ...writeEmail({
      purpose: request.purpose,
      language: writtenLanguage(request.locale),
      url,
      site: app?.name ?? new URL(deps.baseUrl).host,
    }),
    idempotencyKey: `email/${requestId}`,
    category: `email-${request.purpose}`,
  });
  await noteMailed(deps.db, requestId, deps.clock());
  return { status: 'sent' };
}

/** A revoked address signs nobody in, and nobody’s letter box is filled (domain §6). */
async function mayHaveMail(
  deps: EmailDeps,
  request: EmailRequestRow,
  known: LoginEmailRow | null,
): Promise<boolean> {
  const { request_id: id, purpose } = request;
  if (purpose === 'login' && known?.status === 'REVOKED') return false;
  return admitEmailRequest(deps.db, id, deps.clock(), dailyMails[purpose]);
}
