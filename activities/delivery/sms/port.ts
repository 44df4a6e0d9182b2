import { Failure } from '../../../workflows/failures.ts';
import { smsReasonWords, type SmsReason } from './reasons.ts';
import type { SignedReport } from './reports.ts';

export interface Sms {
  /** E.164. */
  readonly to: string;
  readonly text: string;
  /** Identifies the message over retries. */
  readonly idempotencyKey: string;
  /** Milliseconds after which the provider may drop the message. */
  readonly lifeMs: number;
  /** URL for the provider's delivery reports. */
  readonly reportTo: string;
}

export interface SmsSender {
  /**
   * Sends one message, at least once. Errors contain neither the number nor the text.
   * @throws Failure `sms_rejected` if the number cannot be reached, with the `SmsReason` as
   *   `extra.reason`; otherwise `dependency_unavailable`
   */
  send(message: Sms): Promise<{ readonly messageId: string }>;
  /** Whether the provider signed a report. Always false without a provider. */
  isReport(report: SignedReport): Promise<boolean>;
}

/** Ten segments, the limit of providers. */
const textLengthMax = 1600;

/**
 * Returns the failure for a number that cannot be reached, with a text for the person who entered
 * it.
 */
export function rejected(reason: SmsReason): Failure {
  const extra = { loc: ['body', 'phone_number'], reason };
  return new Failure('sms_rejected', { detail: smsReasonWords[reason], extra });
}

/**
 * Checks that `to` is an E.164 number and `text` a message.
 * @throws Failure `sms_rejected`
 */
export function checkSms({ to, text }: Pick<Sms, 'to' | 'text'>): void {
  const isNumber = /^\+[1-9]\d{6,14}$/.test(to);
  const isText = text.trim() !== '' && text.length <= textLengthMax;
  if (!isNumber || !isText) throw new Failure('sms_rejected');
}
