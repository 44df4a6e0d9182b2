import { openLoginEmail } from '../../../activities/identity/email/answer.ts';
import { statement } from '../../../db/client.ts';
import type { Deps } from '../../deps.ts';

const oldest = statement<{ poly_user_id: string; email_blind: Buffer; email_sealed: Buffer }>(
  'login_emails.oldest_active',
  `SELECT DISTINCT ON (poly_user_id) poly_user_id, email_blind, email_sealed FROM login_emails
   WHERE poly_user_id = ANY (:polyUserIds) AND status = 'ACTIVE'
     ORDER BY poly_user_id, identity_id`,
);

/** Returns people's first login emails, masked, by person. */
export async function maskedEmailsOf(
  { db, sealer }: Pick<Deps, 'db' | 'sealer'>,
  polyUserIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const masked = new Map<string, string>();
  for (const row of await oldest(db, { polyUserIds })) {
    masked.set(row.poly_user_id, maskEmail(await openLoginEmail({ sealer }, row)));
  }
  return masked;
}

/** Masks an address as `a***@example.test`. A one-letter local part is hidden completely. */
export function maskEmail(email: string): string {
  const at = email.lastIndexOf('@');
  const [first = '', ...more] = Array.from(email.slice(0, at));
  return `${more.length > 0 ? first : ''}***${email.slice(at)}`;
}
