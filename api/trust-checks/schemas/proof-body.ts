import { z } from 'zod';
import { captures, captureSignals } from '../../../domain/names.ts';
import { proofStates, proofTypes } from '../../../workflows/proofs.ts';
import { json } from '../../http/contract.ts';
import { unique } from '../../http/fields/declared-rules.ts';
import { reasonCode } from '../../http/fields/fields.ts';
import { reportedDeliveries } from './delivery.ts';

export const captureSignalList = z
  .array(z.enum(captureSignals))
  .max(captureSignals.length)
  .refine((signals) => new Set(signals).size === signals.length, 'must have each signal once')
  .meta(unique);

const timestamp = z.iso.datetime();

const sentCode = z.object({
  sent_to: z.string().describe('The number with most of its digits masked'),
  expires_at: timestamp.describe('When the code expires'),
  resend_after: timestamp.describe('When it can be sent again'),
});
export type SentCode = z.output<typeof sentCode>;

/** A code that was sent by SMS. */
export const sentCodeBody = sentCode.meta({ id: 'SentCode' });

/** One proof of a check, as the API shows it. */
export const proofBody = z
  .object({
    type: z.enum(proofTypes),
    status: z.enum(proofStates),
    attempt: z.int().describe('The attempt that counts, from 1; 0 before the first'),
    max_attempts: z.int(),
    reason_code: reasonCode,
    provider: z
      .string()
      .nullable()
      .describe('Whose word the verdict rests on, as `app_attest`; null for our own'),
    evidence_hash: z
      .string()
      .nullable()
      .describe(
        'SHA-256 over the files of the attempt in the export of evidence, as docs/protocols/evidence.md says',
      ),
    capture: z
      .enum(captures)
      .nullable()
      .describe(
        '`app`: on an attested device; null before the first attempt and for `review_requested`',
      ),
    capture_signals: captureSignalList
      .optional()
      .describe(
        'What the page reported of browser and camera; for the account, in `trust-checks.get`',
      ),
    delivery: z
      .enum(reportedDeliveries)
      .nullable()
      .optional()
      .describe(
        'What became of the last message with a code, while the proof `phone` of the one session ' +
          'that is read collects; null before the first',
      ),
    sent_code: sentCode
      .nullable()
      .optional()
      .describe(
        'Where and when the last code was sent, while it can be typed: for the check token in ' +
          '`trust-checks.get`',
      ),
  })
  .meta({ id: 'Proof' });

/** The responses to a submission. */
export const submittedReplies = {
  200: json(proofBody, 'The judged proof'),
  202: json(proofBody, 'The proof, which is still judged'),
} as const;

export const submittedDescription = [
  'A proof that takes longer to judge than the call waits is 202 `processing`: `proof.updated` has',
  'the verdict. Until then, another submission of this proof is 409.',
].join(' ');
