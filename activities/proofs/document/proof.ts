import { z } from 'zod';
import { blankImage } from '../../../domain/images/blank-image.ts';
import type { Claims } from '../../../domain/proofs/claims.ts';
import { documentRules } from '../../../domain/proofs/document/rules.ts';
import { verifyDocumentImage } from '../../../domain/proofs/document/verify-document-image.ts';
import type { ProofReason } from '../../../domain/proofs/reasons.ts';
import type { Verdict } from '../../../domain/proofs/verdict.ts';
import { retryAfterThreadLoss } from '../../runtime/threads/retry-after-loss.ts';
import type { ProofContext, ProofResult } from '../judge.ts';
import type { takeDocument } from './read.ts';

const provider = 'images';

const submissionSchema = z.object({ front: z.string(), back: z.string().optional() });

export interface DocumentJudgeDeps {
  /** Reads images in a thread, because decoders read untrusted bytes and work for seconds. */
  readonly heavy: { readonly takeDocument: typeof takeDocument };
  /** Whether specimens are accepted. True where development roots are trusted. */
  readonly takesSpecimens: boolean;
}

/** Faults of the document itself, which a better photograph does not fix. */
const final: ReadonlySet<ProofReason | null> = new Set(['document_expired', 'country_unknown']);

/**
 * Judges the photographs of a document on their normalized images, which are stored and which an
 * auditor reads again. Another photograph can fix a fault of a photograph. Images that end every
 * thread that reads them, while a blank image is read, are unreadable.
 */
export function createDocumentJudge({ heavy, takesSpecimens }: DocumentJudgeDeps): {
  judgeAhead(given: Pick<ProofContext, 'input' | 'files' | 'now'>): Promise<ProofResult>;
} {
  const policy = takesSpecimens ? { development: true } : {};
  return {
    async judgeAhead({ input, files, now }) {
      const named = submissionSchema.safeParse(input);
      if (!named.success) return rejected('malformed');
      const front = files.get(named.data.front);
      const back = named.data.back === undefined ? undefined : files.get(named.data.back);
      if (!front || (named.data.back !== undefined && !back)) return rejected('evidence_missing');
      const taken = await retryAfterThreadLoss(
        () => heavy.takeDocument({ front, back }),
        () => heavy.takeDocument({ front: blankImage }),
      );
      if (!taken) return rejected('unreadable');
      const { images, reading } = taken;
      const file = {
        format: 'trustcheck-evidence/1',
        kind: 'document-image',
        at: now.toISOString(),
        policy: { rules: documentRules, ...policy },
        input: {
          front: base64(images.front),
          ...(images.back ? { back: base64(images.back) } : {}),
        },
      };
      return resultOf(file, verifyDocumentImage(policy, reading, now));
    },
  };
}

function resultOf(file: Readonly<Record<string, unknown>>, verdict: Verdict): ProofResult {
  const common = { reason_code: verdict.reason_code, provider, verdict, evidenceFiles: [file] };
  const decided = { ...common, retryable: false, claims: claimsOf(verdict.facts) };
  if (verdict.verdict === 'inconclusive') return { ...decided, outcome: 'unsure' };
  if (verdict.verdict === 'passed') return { ...decided, outcome: 'passed' };
  return { ...common, outcome: 'rejected', retryable: !final.has(verdict.reason_code) };
}

const claimFields = [
  'full_name',
  'surname',
  'given_names',
  'date_of_birth',
  'place_of_birth',
  'nationality',
  'region',
  'sex',
  'document_type',
  'document_number',
  'issuing_country',
  'expires_on',
] as const satisfies (keyof Claims)[];

function claimsOf({ fields }: Verdict['facts']): Claims {
  const read: Readonly<Record<string, unknown>> = Object(fields);
  return Object.fromEntries(
    claimFields.flatMap((field) => {
      const value: unknown = Object(read[field]).value;
      return typeof value === 'string' ? [[field, value]] : [];
    }),
  );
}

function rejected(reason_code: ProofReason): ProofResult {
  return { outcome: 'rejected', reason_code, retryable: true, provider };
}

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');
