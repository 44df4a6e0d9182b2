import { Failure } from '../../../workflows/failures.ts';

export interface Mail {
  /** One plain address, without a name. */
  readonly to: string;
  /** One line. */
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** Names the message over retries. */
  readonly idempotencyKey: string;
  /** What the provider counts the message under. */
  readonly category?: string;
}

/** Sends mail. */
export interface Mailer {
  /**
   * Sends one message, at least once. Throws `mail_rejected` when the provider will never take it,
   * `dependency_unavailable` otherwise. Neither says to whom or what.
   */
  send(mail: Mail): Promise<{ readonly messageId: string }>;
}

const addressForm = /^[^\s\p{C}@,;:<>()[\]\\"]{1,64}@[^\s\p{C}@,;:<>()\\"]{1,189}$/u;
const subjectLengthMax = 500;

/**
 * One address, one line: nothing a caller gives can add a receiver or a header (RFC 5322 §2.2).
 * Throws `mail_rejected`.
 */
export function checkMail({ to, subject, category }: Mail): void {
  const isOneAddress = addressForm.test(to);
  const isOneLine =
    subject.length >= 1 &&
    subject.length <= subjectLengthMax &&
    !/[\p{Cc}\u2028\u2029]/u.test(subject);
  const isCategory = category === undefined || /^[a-z0-9][a-z0-9._-]{0,99}$/.test(category);
  if (!isOneAddress || !isOneLine || !isCategory) throw new Failure('mail_rejected');
}
