import { z } from 'zod';
import { bytes, common } from '../file-members.ts';

/**
 * The record of an entered code. Its hash is in the evidence; nothing in it can be judged again.
 */
export const smsCodeFile = z.object({
  ...common,
  kind: z.literal('sms-code'),
  input: z.object({ link_session_id: z.string(), phone_number: z.string(), salt: bytes }),
});

export type SmsCodeFile = z.output<typeof smsCodeFile>;
