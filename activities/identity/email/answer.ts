import { timingSafeEqual } from 'node:crypto';
import type { Tx } from '../../../db/client.ts';
import {
  consumeEmailRequest,
  countCodeTry,
  findByToken,
  lockEmailRequest,
  type EmailRequestRow,
} from '../../../db/queries/email-requests.ts';
import { platformOwner, type Sealer } from '../../../db/sealing/sealed.ts';
import type { Address } from '../../../domain/identity/email-address.ts';
import type { EmailPurpose } from '../../../domain/names.ts';
import { hashOfToken, isEmailCode } from '../../../domain/tokens/email-token.ts';
import { addressContext, blindOf, type EmailRequestDeps } from './requests.ts';

/** A submitted token, with what shows whether it comes from the requesting browser. */
export interface OfferedToken {
  readonly purpose: EmailPurpose;
  readonly token: string;
  /** Value of the cookie of the requesting browser. */
  readonly browserToken: string | null;
  readonly code: string | null;
  /** Who submits the token; null for a login. */
  readonly polyUserId: string | null;
}

export type AnswerOutcome =
  | { readonly status: 'taken'; readonly request: EmailRequestRow }
  | { readonly status: 'invalid' | 'code_required' };

const codeTriesMax = 5;

/** Returns the context under which the address of a login email is sealed. */
const loginContext = (blind: Buffer): string => `login_emails|email|${blind.toString('hex')}`;

/**
 * Seals the address of a token's request as that of a login email. Call it before the transaction.
 * Returns null if there is no such token.
 */
export async function sealAnswered(
  { db, sealer }: Pick<EmailRequestDeps, 'db' | 'sealer'>,
  { token, purpose }: OfferedToken,
): Promise<Buffer | null> {
  const request = await findByToken(db, hashOfToken(token), purpose);
  if (!request) return null;
  const { request_id: id, address_sealed: sealed, address_blind: blind } = request;
  const address = await sealer.open(platformOwner, addressContext(id), sealed);
  return sealer.seal(platformOwner, loginContext(blind), address);
}

/** Seals an address that was proved by other means than a token, as that of a login email. */
export async function sealLoginEmail(
  sealer: Sealer,
  address: Address,
): Promise<{ blind: Buffer; sealed: Buffer }> {
  const blind = blindOf(sealer, address);
  const sealed = await sealer.seal(platformOwner, loginContext(blind), address.deliverable);
  return { blind, sealed };
}

/** Returns the address of a login email as it was proved. */
export async function openLoginEmail(
  { sealer }: Pick<EmailRequestDeps, 'sealer'>,
  row: { readonly email_blind: Buffer; readonly email_sealed: Buffer },
): Promise<string> {
  const opened = await sealer.open(platformOwner, loginContext(row.email_blind), row.email_sealed);
  return opened.toString();
}

/**
 * Takes a token: once, before it expires, by the person it was requested for, and in the requesting
 * browser or with the code shown there. Commit the transaction in any case, so that a wrong code is
 * counted.
 */
export async function takeToken(
  tx: Tx,
  { keys }: Pick<EmailRequestDeps, 'keys'>,
  offered: OfferedToken,
  now: Date,
): Promise<AnswerOutcome> {
  const request = await lockEmailRequest(tx, hashOfToken(offered.token), offered.purpose);
  if (!request || !isOpen(request, now)) return { status: 'invalid' };
  const emailSecret = keys.secretOf('email-token', request.secret_version);
  // A thief of a revoked secret could compute its tokens, so they are invalid.
  if (!emailSecret) return { status: 'invalid' };
  if (request.poly_user_id !== offered.polyUserId) return { status: 'invalid' };
  if (!isSameBrowser(request, offered.browserToken)) {
    if (request.code_tries >= codeTriesMax) return { status: 'invalid' };
    if (offered.code === null) return { status: 'code_required' };
    if (!isEmailCode(emailSecret, request.request_id, offered.code)) {
      await countCodeTry(tx, request.request_id);
      return { status: 'code_required' };
    }
  }
  await consumeEmailRequest(tx, request.request_id, now);
  return { status: 'taken', request };
}

function isOpen({ state, expires_at: expiresAt }: EmailRequestRow, now: Date): boolean {
  return (state === 'requested' || state === 'sent') && expiresAt > now;
}

function isSameBrowser({ browser_hash: expected }: EmailRequestRow, value: string | null): boolean {
  return value !== null && timingSafeEqual(expected, hashOfToken(value));
}
