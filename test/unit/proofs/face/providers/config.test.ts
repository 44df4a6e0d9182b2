import { expect, it } from 'vitest';
import {
  claimPolicyConfig,
  claimPolicyOf,
  createLivenessProviders,
  livenessConfig,
} from '../../../../../activities/proofs/face/provider/config.ts';
import { randomIds } from '../../../../../db/ids.ts';

const FACE_REKOGNITION_REGION = 'eu-west-1';
const FACE_REKOGNITION_ACCESS_KEY_ID = 'a-key-id';
const FACE_REKOGNITION_SECRET_ACCESS_KEY = 'not-to-be-seen';
const FACE_HTTP_URL = 'https://faces.test';
const FACE_HTTP_SECRET = `whsec_${Buffer.alloc(24, 1).toString('base64')}`;
const made = (config: object): string[] =>
  Object.keys(
    createLivenessProviders(livenessConfig.parse(config), {
      ids: randomIds,
      clock: () => new Date(),
    }),
  );

it('the face providers are those with complete settings', () => {
  expect(made({})).toEqual([]);
  // The credentials come from a role.
  expect(made({ FACE_REKOGNITION_REGION })).toEqual(['rekognition']);
  expect(made({ FACE_HTTP_URL, FACE_HTTP_SECRET })).toEqual(['http']);
  const keys = { FACE_REKOGNITION_ACCESS_KEY_ID, FACE_REKOGNITION_SECRET_ACCESS_KEY };
  for (const [config, missing] of [
    [keys, 'FACE_REKOGNITION_REGION'],
    [{ FACE_REKOGNITION_URL: 'https://a.test' }, 'FACE_REKOGNITION_REGION'],
    [
      { FACE_REKOGNITION_REGION, FACE_REKOGNITION_ACCESS_KEY_ID },
      'FACE_REKOGNITION_SECRET_ACCESS_KEY',
    ],
    [{ FACE_HTTP_URL }, 'FACE_HTTP_SECRET'],
    [{ FACE_HTTP_SECRET }, 'FACE_HTTP_URL'],
  ] as const) {
    expect(() => made(config), missing).toThrow(`wrong settings: ${missing}: required`);
  }
});

it('a face provider needs a valid region, secret and URL', () => {
  for (const config of [
    { FACE_REKOGNITION_REGION: 'a.test/eu-west-1' },
    { FACE_HTTP_SECRET: 'whsec_c2hvcnQ=' },
    { FACE_HTTP_SECRET: Buffer.alloc(24).toString('base64') },
    { FACE_HTTP_URL: 'file:///etc' },
  ]) {
    expect(livenessConfig.safeParse(config).success, JSON.stringify(config)).toBe(false);
  }
});

it('the thresholds of a provider start at 50 percent, and review lies below passing', () => {
  expect(claimPolicyOf(claimPolicyConfig.parse({}))).toEqual({
    confidencePercentMin: 90,
    similarityPercentMin: 99,
    similarityPercentReview: 90,
  });
  for (const FACE_CONFIDENCE_MIN of ['49.9', '100.1', 'x', '']) {
    expect(claimPolicyConfig.safeParse({ FACE_CONFIDENCE_MIN }).success).toBe(false);
  }
  const crossed = { FACE_SIMILARITY_MIN: '90', FACE_SIMILARITY_REVIEW: '91' };
  expect(() => claimPolicyOf(claimPolicyConfig.parse(crossed))).toThrow('FACE_SIMILARITY_REVIEW');
});
