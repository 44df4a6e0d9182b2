import { judge, type Rule, type Verdict } from '../verdict.ts';
import type { SmsCodeFile } from './evidence.ts';
import { isE164 } from './phone-number.ts';

/** The record of an entered code that was right. */
export interface SmsCodeRecord {
  readonly linkSessionId: string;
  /** E.164. */
  readonly phoneNumber: string;
}

/** The reason of a verdict on a record: only its hash can be compared. */
export const notRepeatable = 'not_repeatable';

/**
 * Reads the record of an entered code. A code is right at one moment and cannot be judged again:
 * the verdict is `inconclusive` with `not_repeatable`. Never throws.
 */
export function verifySmsCode(record: SmsCodeRecord): Verdict {
  return judge('sms-code', rules, record, ({ phoneNumber }) => ({ phone_number: phoneNumber }));
}

const rules: readonly Rule<SmsCodeRecord>[] = [
  {
    name: 'record',
    judge: ({ phoneNumber }) =>
      isE164(phoneNumber) ? { ok: true } : { fault: 'malformed', detail: 'phone number' },
  },
  {
    name: 'code',
    judge: () => ({ unknown: notRepeatable, detail: 'was judged when it was typed' }),
  },
];

/** Judges an evidence file of kind `sms-code`. */
export function verifySmsFile({ input }: SmsCodeFile): Verdict {
  const { link_session_id: linkSessionId, phone_number: phoneNumber } = input;
  return verifySmsCode({ linkSessionId, phoneNumber });
}
