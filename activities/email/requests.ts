import type { Queryable } from '../../db/client.ts';
import type { Ids } from '../../db/ids.ts';
import type { EmailPurpose } from '../../db/names.ts';
import { addEmailRequest } from '../../db/queries/email-requests.ts';
import { platformOwner, type Sealer } from '../../db/sealed.ts';
import { emailCode, emailToken, hashOfToken } from '../tokens/email-token.ts';
import type { Address } from './address.ts';

/** How long a mailed token is good (NIST SP 800-63B-4 §3.1.3). */
export const tokenLifeMs = 10 * 60_000;
const browserTokenBytes = 32;

export interface EmailRequestDeps {
  readonly db: Queryable;
  readonly sealer: Sealer;
  readonly ids: Ids;
  readonly emailSecret: Uint8Array;
}

export interface EmailAsked {
  readonly purpose: EmailPurpose;
  readonly address: Address;
  /** Whom it is to be attached to; null for a login. */
  readonly polyUserId: string | null;
  readonly appId: string | null;
  readonly returnTo: string | null;
  readonly locale: string | null;
  /** Whoever asks has asked too often: it is kept like any other, and mailed to nobody. */
  readonly isDropped?: boolean;
}

/** What the address of a request is sealed under. */
export const addressContext = (requestId: string): string => `email_requests|address|${requestId}`;

/** The keyed digest an address is looked up by. */
export const blindOf = (sealer: Pick<Sealer, 'blind'>, address: Address): Buffer =>
  sealer.blind('login-email', address.comparable);

/**
 * Keeps a request for a mail: the same work for every address, known or not, mailed to or not.
 * Gives what tells the asking browser from any other: the value of its cookie, and the code it
 * shows for a mail that is read elsewhere.
 */
export async function keepEmailRequest(
  { db, sealer, ids, emailSecret }: EmailRequestDeps,
  asked: EmailAsked,
  now: Date,
): Promise<{ browserToken: string; code: string }> {
  const requestId = ids.make('er');
  const browserToken = ids.bytes(browserTokenBytes).toString('base64url');
  const sealed = await sealer.seal(
    platformOwner,
    addressContext(requestId),
    asked.address.deliverable,
  );
  await addEmailRequest(db, {
    request_id: requestId,
    purpose: asked.purpose,
    poly_user_id: asked.polyUserId,
    address_blind: blindOf(sealer, asked.address),
    address_sealed: sealed,
    token_hash: hashOfToken(emailToken(emailSecret, requestId)),
    browser_hash: hashOfToken(browserToken),
    app_id: asked.appId,
    return_to: asked.returnTo,
    locale: asked.locale,
    state: asked.isDropped ? 'dropped' : 'requested',
    created_at: now,
    expires_at: new Date(now.getTime() + tokenLifeMs),
  });
  return { browserToken, code: emailCode(emailSecret, requestId) };
}
