import { Failure } from '../../../workflows/failures.ts';

export interface Mail {
  /** One plain address, without a name. */
  readonly to: string;
  /** One line. */
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** Identifies the message over retries. */
  readonly idempotencyKey: string;
  /** Category under which the provider counts the message. */
  readonly category?: string;
}

export interface Mailer {
  /**
   * Sends one message, at least once. Errors contain neither the recipient nor the content.
   * @throws Failure `mail_rejected` if the provider will never accept the message, otherwise
   *   `dependency_unavailable`
   */
  send(mail: Mail): Promise<{ readonly messageId: string }>;
}

const addressForm = /^[^\s\p{C}@,;:<>()[\]\\"]{1,64}@[^\s\p{C}@,;:<>()\\"]{1,189}$/u;
const subjectLengthMax = 500;

/**
 * Checks that `to` is one address and `subject` one line, so that callers cannot add recipients or
 * headers (RFC 5322 §2.2).
 * @throws Failure `mail_rejected`
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
