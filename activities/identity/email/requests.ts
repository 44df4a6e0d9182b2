import type { Queryable } from '../../../db/client.ts';
import type { Ids } from '../../../db/ids.ts';
import { addEmailRequest } from '../../../db/queries/email-requests.ts';
import { platformOwner, type Sealer } from '../../../db/sealing/sealed.ts';
import { readAddress, type Address } from '../../../domain/identity/email-address.ts';
import type { EmailPurpose } from '../../../domain/names.ts';
import { emailCode, emailToken, hashOfToken } from '../../../domain/tokens/email-token.ts';
import { Failure } from '../../../workflows/failures.ts';
import type { MasterSecrets } from '../../keys/directory/master-secrets.ts';

/** Milliseconds that a mailed token is valid (NIST SP 800-63B-4 §3.1.3). */
export const tokenLifeMs = 10 * 60_000;
const browserTokenBytes = 32;

export interface EmailRequestDeps {
  readonly db: Queryable;
  readonly sealer: Sealer;
  readonly ids: Ids;
  readonly keys: Pick<MasterSecrets, 'secretOf' | 'secretVersion'>;
}

export interface EmailRequest {
  readonly purpose: EmailPurpose;
  readonly address: Address;
  /** Person to attach the address to; null for a login. */
  readonly polyUserId: string | null;
  /** Network of the requester, if known. Requesters in one network share their limits. */
  readonly network: string | null;
  readonly appId: string | null;
  readonly returnTo: string | null;
  readonly locale: string | null;
  /**
   * Whether the requester is over a limit. The request is stored like any other, but not mailed.
   */
  readonly isDropped?: boolean;
}

/** Returns the context under which the address of a request is sealed. */
export const addressContext = (requestId: string): string => `email_requests|address|${requestId}`;

/** Returns the keyed digest by which an address is found. */
export const blindOf = (sealer: Pick<Sealer, 'blind'>, address: Address): Buffer =>
  sealer.blind('login-email', address.comparable);

/**
 * Returns the same digest for a text. A text that is not a valid address gets a digest of its own.
 */
export const blindOfText = (sealer: Pick<Sealer, 'blind'>, text: string): Buffer =>
  sealer.blind('login-email', readAddress(text)?.comparable ?? text.toLowerCase());

/**
 * Stores a request for a mail. The work is the same for every address, whether it is known or gets
 * a mail. Returns what identifies the requesting browser: the value of its cookie, and the code
 * that it shows for a mail that is read on another device.
 */
export async function keepEmailRequest(
  { db, sealer, ids, keys }: EmailRequestDeps,
  request: EmailRequest,
  now: Date,
): Promise<{ browserToken: string; code: string }> {
  const { secretVersion } = keys;
  const emailSecret = keys.secretOf('email-token', secretVersion);
  if (!emailSecret) throw new Failure('dependency_unavailable');
  const requestId = ids.make('er');
  const browserToken = ids.bytes(browserTokenBytes).toString('base64url');
  const sealed = await sealer.seal(
    platformOwner,
    addressContext(requestId),
    request.address.deliverable,
  );
  await addEmailRequest(db, {
    request_id: requestId,
    purpose: request.purpose,
    poly_user_id: request.polyUserId,
    address_blind: blindOf(sealer, request.address),
    address_sealed: sealed,
    secret_version: secretVersion,
    token_hash: hashOfToken(emailToken(emailSecret, requestId)),
    browser_hash: hashOfToken(browserToken),
    network_blind: request.network === null ? null : sealer.blind('email-network', request.network),
    app_id: request.appId,
    return_to: request.returnTo,
    locale: request.locale,
    state: request.isDropped ? 'dropped' : 'requested',
    created_at: now,
    expires_at: new Date(now.getTime() + tokenLifeMs),
  });
  return { browserToken, code: emailCode(emailSecret, requestId) };
}
