import { Failure } from '../../workflows/failures.ts';

export interface Sms {
  /** In E.164. */
  readonly to: string;
  readonly text: string;
  /** Names the message over retries. */
  readonly idempotencyKey: string;
}

/** Sends text messages. */
export interface SmsSender {
  /**
   * Sends one message, at least once. Throws `sms_rejected` when the number cannot be reached,
   * `dependency_unavailable` otherwise. Neither says to whom or what.
   */
  send(message: Sms): Promise<{ readonly messageId: string }>;
}

/** Ten parts of a long message; what providers take. */
const textLengthMax = 1600;

/** Throws `sms_rejected` for what is no E.164 number or no message. */
export function checkSms({ to, text }: Sms): void {
  const isNumber = /^\+[1-9]\d{6,14}$/.test(to);
  const isText = text.trim() !== '' && text.length <= textLengthMax;
  if (!isNumber || !isText) throw new Failure('sms_rejected');
}
