import { Failure } from '../../../workflows/failures.ts';
import { smsReasonWords, type SmsReason } from './reasons.ts';
import type { SignedReport } from './reports.ts';

export interface Sms {
  /** In E.164. */
  readonly to: string;
  readonly text: string;
  /** Names the message over retries. */
  readonly idempotencyKey: string;
  /** How long it is worth passing on. */
  readonly lifeMs: number;
  /** Where the provider reports what became of it. */
  readonly reportTo: string;
}

/** Sends text messages. */
export interface SmsSender {
  /**
   * Sends one message, at least once. Throws `sms_rejected` when the number cannot be reached, with
   * the `SmsReason` as its `extra.reason`, `dependency_unavailable` otherwise. Neither says to whom
   * or what.
   */
  send(message: Sms): Promise<{ readonly messageId: string }>;
  /** Whether the provider signed a report; never, where nobody reports. */
  isReport(report: SignedReport): Promise<boolean>;
}

/** Ten parts of a long message; what providers take. */
const textLengthMax = 1600;

/** The failure of a message to a number that cannot be reached, in words for whoever gave it. */
export function rejected(reason: SmsReason): Failure {
  const extra = { loc: ['body', 'phone_number'], reason };
  return new Failure('sms_rejected', { detail: smsReasonWords[reason], extra });
}

/** Throws `sms_rejected` for what is no E.164 number or no message. */
export function checkSms({ to, text }: Pick<Sms, 'to' | 'text'>): void {
  const isNumber = /^\+[1-9]\d{6,14}$/.test(to);
  const isText = text.trim() !== '' && text.length <= textLengthMax;
  if (!isNumber || !isText) throw new Failure('sms_rejected');
}
