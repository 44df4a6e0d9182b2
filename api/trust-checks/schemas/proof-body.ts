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
  sent_to: z.string().describe('Number with most digits masked'),
  expires_at: timestamp.describe('When the code expires'),
  resend_after: timestamp.describe('When the code can be sent again'),
});
export type SentCode = z.output<typeof sentCode>;

/** A code that was sent by SMS. */
export const sentCodeBody = sentCode.meta({ id: 'SentCode' });

/** One proof of a check, as the API shows it. */
export const proofBody = z
  .object({
    type: z.enum(proofTypes),
    status: z.enum(proofStates),
    attempt: z.int().describe('Current attempt, from 1; 0 before the first'),
    max_attempts: z.int(),
    reason_code: reasonCode,
    provider: z
      .string()
      .nullable()
      .describe(
        'External source of the verdict, for example `app_attest`; null if the service ' +
          'decides alone',
      ),
    evidence_hash: z
      .string()
      .nullable()
      .describe('SHA-256 over the evidence files of the attempt, as in docs/protocols/evidence.md'),
    capture: z
      .enum(captures)
      .nullable()
      .describe(
        'Source of the evidence; `app` is an attested device. Null before the first attempt ' +
          'and for `review_requested`',
      ),
    capture_signals: captureSignalList
      .optional()
      .describe(
        'What the page reported about browser and camera; only for the account, in ' +
          '`trust-checks.get`',
      ),
    delivery: z
      .enum(reportedDeliveries)
      .nullable()
      .optional()
      .describe(
        'Delivery of the last message with a code. Only for the proof `phone` while it ' +
          'collects, when one session is read. Null before the first message',
      ),
    sent_code: sentCode
      .nullable()
      .optional()
      .describe(
        'Last code that was sent, while the person can type it; only for the check token, in ' +
          '`trust-checks.get`',
      ),
  })
  .meta({ id: 'Proof' });

/** The responses to a submission. */
export const submittedReplies = {
  200: json(proofBody, 'The proof with its verdict'),
  202: json(proofBody, 'The proof, not judged yet'),
} as const;

export const submittedDescription =
  'A proof that takes longer to judge than the call waits is 202 `processing`. The ' +
  'event `proof.updated` has the verdict. Until then, another submission of this proof ' +
  'is 409.';
