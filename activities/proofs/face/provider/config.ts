import { z } from 'zod';
import type { FaceProvider } from '../../../../domain/names.ts';
import type {
  LivenessProvider,
  LivenessProviders,
} from '../../../../domain/proofs/face/provider-session.ts';
import type { ClaimPolicy } from '../../../../domain/proofs/face/verify-face-claim.ts';
import { wholeOf } from '../../../runtime/config.ts';
import { createHttpProvider, type HttpProviderOptions } from './http.ts';
import { createRekognition } from './rekognition.ts';

/** Settings of the face providers that accounts can select. */
export const livenessConfig = z.object({
  FACE_REKOGNITION_REGION: z
    .string()
    .regex(/^[a-z]{2}(?:-[a-z]+){1,2}-\d{1,2}$/)
    .optional()
    .describe(
      'AWS region of Amazon Rekognition, for accounts with the `face_provider` ' +
        '`rekognition`. Without it, no account can use Rekognition.',
    ),
  FACE_REKOGNITION_ACCESS_KEY_ID: z
    .string()
    .min(1)
    .max(128)
    .optional()
    .describe(
      'Access key with `CreateFaceLivenessSession`, `GetFaceLivenessSessionResults` and ' +
        '`CompareFaces`. Without it and its secret, the AWS client uses its usual sources.',
    ),
  FACE_REKOGNITION_SECRET_ACCESS_KEY: z
    .string()
    .min(1)
    .max(256)
    .optional()
    .describe('Secret of the access key in `FACE_REKOGNITION_ACCESS_KEY_ID`.'),
  FACE_REKOGNITION_URL: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe(
      'URL of Amazon Rekognition. Without it, the AWS client uses the public address of ' +
        'the region.',
    ),
  FACE_HTTP_URL: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe(
      'URL of a provider that implements the HTTP protocol for faces, for accounts with ' +
        'the `face_provider` `http`. It requires `FACE_HTTP_SECRET`.',
    ),
  FACE_HTTP_SECRET: z
    .string()
    .regex(/^whsec_(?:[A-Za-z0-9+/]{4}){8,80}(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/)
    .optional()
    .describe(
      'Secret that signs the requests to the provider and its answers: `whsec_` and at ' +
        'least 24 bytes in base64.',
    ),
});

const percent = (usual: number) => z.coerce.number().min(50).max(100).default(usual);

/** Settings of the thresholds of face providers. */
export const claimPolicyConfig = z.object({
  FACE_CONFIDENCE_MIN: percent(90).describe(
    'Minimum confidence of the provider that a live person was present, in percent from ' +
      '50 to 100. Below it, the proof fails.',
  ),
  FACE_SIMILARITY_MIN: percent(99).describe(
    'Minimum similarity of the live face and the portrait for a match, in percent from ' +
      '50 to 100.',
  ),
  FACE_SIMILARITY_REVIEW: percent(90).describe(
    'Similarity in percent from which a face below `FACE_SIMILARITY_MIN` goes to review ' +
      '(`face_unsure`). A lower similarity is a mismatch.',
  ),
});

/**
 * Creates the configured providers.
 * @throws Error with one line that names every missing setting
 */
export function createLivenessProviders(
  config: z.output<typeof livenessConfig>,
  deps: Pick<HttpProviderOptions, 'ids' | 'clock'>,
): LivenessProviders {
  const {
    FACE_REKOGNITION_REGION: region,
    FACE_REKOGNITION_ACCESS_KEY_ID,
    FACE_REKOGNITION_SECRET_ACCESS_KEY,
    FACE_REKOGNITION_URL: url,
    FACE_HTTP_URL,
    FACE_HTTP_SECRET,
  } = config;
  const keys = wholeOf({ FACE_REKOGNITION_ACCESS_KEY_ID, FACE_REKOGNITION_SECRET_ACCESS_KEY });
  wholeOf({ FACE_REKOGNITION_REGION: region }, { isRequired: keys !== null || url !== undefined });
  const http = wholeOf({ FACE_HTTP_URL, FACE_HTTP_SECRET });
  const credentials = keys && {
    accessKeyId: keys.FACE_REKOGNITION_ACCESS_KEY_ID,
    secretAccessKey: keys.FACE_REKOGNITION_SECRET_ACCESS_KEY,
  };
  const providers: Partial<Record<FaceProvider, LivenessProvider>> = {};
  if (region !== undefined) {
    providers.rekognition = createRekognition({ region, url, ...(credentials && { credentials }) });
  }
  if (http) {
    const { FACE_HTTP_URL: address, FACE_HTTP_SECRET: secret } = http;
    providers.http = createHttpProvider({ url: address, secret, ...deps });
  }
  return providers;
}

/** @throws Error with one line when the review threshold is above the pass threshold */
export function claimPolicyOf(config: z.output<typeof claimPolicyConfig>): ClaimPolicy {
  const {
    FACE_CONFIDENCE_MIN: confidencePercentMin,
    FACE_SIMILARITY_MIN: similarityPercentMin,
    FACE_SIMILARITY_REVIEW: similarityPercentReview,
  } = config;
  if (similarityPercentReview > similarityPercentMin) {
    throw new Error('wrong settings: FACE_SIMILARITY_REVIEW: is above FACE_SIMILARITY_MIN');
  }
  return { confidencePercentMin, similarityPercentMin, similarityPercentReview };
}
