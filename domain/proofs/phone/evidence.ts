import { z } from 'zod';
import { bytes, common } from '../file-members.ts';
import type { Verdict } from '../verdict.ts';
import { verifySmsCode } from './verify-sms-code.ts';

/** The record of a typed code: what its hash is computed over, and nothing to judge again. */
export const smsCodeFile = z.object({
  ...common,
  kind: z.literal('sms-code'),
  input: z.object({ link_session_id: z.string(), phone_number: z.string(), salt: bytes }),
});

/** Judges an evidence file of kind `sms-code`. */
export function verifySmsFile({ input }: z.output<typeof smsCodeFile>): Verdict {
  const { link_session_id: linkSessionId, phone_number: phoneNumber } = input;
  return verifySmsCode({ linkSessionId, phoneNumber });
}
