import { describe, expect, it } from 'vitest';
import { nameImages } from '../../../../../domain/evidence/binding.ts';
import { takeOutImages, withoutImages } from '../../../../../domain/evidence/images.ts';
import { judgeAnyEvidence } from '../../../../../domain/judging/judge.ts';
import {
  verifyFaceClaim,
  type FaceClaimInput,
} from '../../../../../domain/proofs/face/verify-face-claim.ts';
import { referencePicture } from '../../../../support/stand-ins/faces/face-sessions.ts';

const at = new Date('2026-11-22T12:00:00Z');
const policy = {
  confidencePercentMin: 90,
  similarityPercentMin: 99,
  similarityPercentReview: 90,
};
const Bytes = referencePicture.toString('base64');
const liveness = {
  SessionId: 's-1',
  Status: 'SUCCEEDED',
  Confidence: 95,
  ReferenceImage: { Bytes },
};
const comparison = { FaceMatches: [{ Similarity: 99.5 }], UnmatchedFaces: [] };
const given: FaceClaimInput = {
  provider: 'rekognition',
  session: 's-1',
  key: 'ch_1',
  expiresAt: new Date(at.getTime() + 1),
  answers: { liveness, comparison },
};
const http = {
  liveness: {
    operation: 'result',
    session_id: 's-1',
    key: 'ch_1',
    status: 'succeeded',
    confidence: 95,
    reference_image: Bytes,
  },
  comparison: { operation: 'compare', session_id: 's-1', similarity: 99.5 },
};

function judged(
  changes: { liveness?: object; comparison?: unknown },
  more: Partial<FaceClaimInput> = {},
) {
  const answers = {
    liveness: { ...liveness, ...changes.liveness },
    comparison: 'comparison' in changes ? changes.comparison : comparison,
  };
  const { verdict, reason_code } = verifyFaceClaim(policy, { ...given, answers, ...more }, at);
  return [verdict, reason_code];
}

describe('the claim of a provider', () => {
  it('passes when both thresholds are reached, and is marked as a claim', () => {
    const verdict = verifyFaceClaim(policy, given, at);
    expect(verdict).toEqual({
      format: 'trustcheck-verdict/1',
      kind: 'face-claim',
      verdict: 'passed',
      reason_code: null,
      checks: [
        { name: 'claim', result: 'skipped', detail: 'what rekognition says, not judged here' },
        { name: 'answer', result: 'ok' },
        { name: 'session', result: 'ok' },
        { name: 'liveness', result: 'ok', detail: '95 of 90' },
        { name: 'reference', result: 'ok' },
        { name: 'match', result: 'ok', detail: '99.5 of 99' },
      ],
      facts: {
        judged_by: 'rekognition',
        confidence_percent: 95,
        confidence_percent_min: 90,
        similarity_percent: 99.5,
        similarity_percent_min: 99,
      },
    });
    const other = verifyFaceClaim(policy, { ...given, provider: 'http', answers: http }, at);
    expect(other).toMatchObject({ verdict: 'passed', facts: { judged_by: 'http' } });
  });

  const failed = (reason: string) => ['failed', reason];
  const unsure = (reason: string) => ['inconclusive', reason];
  const match = (...all: unknown[]) => ({
    comparison: { FaceMatches: all.map((Similarity) => ({ Similarity })), UnmatchedFaces: [] },
  });

  it.each<[string, Parameters<typeof judged>[0], unknown[]]>([
    [
      'below the confidence threshold',
      { liveness: { Confidence: 89.99 } },
      failed('liveness_failed'),
    ],
    ['at the confidence threshold', { liveness: { Confidence: 90 } }, ['passed', null]],
    ['without a confidence', { liveness: { Confidence: undefined } }, failed('liveness_failed')],
    ['over 100 percent', { liveness: { Confidence: 101 } }, failed('malformed')],
    ['a confidence as text', { liveness: { Confidence: '95' } }, failed('malformed')],
    ['failed', { liveness: { Status: 'FAILED' } }, failed('liveness_failed')],
    ['expired', { liveness: { Status: 'EXPIRED' } }, failed('session_expired')],
    ['not started', { liveness: { Status: 'CREATED' } }, failed('session_expired')],
    ['in progress', { liveness: { Status: 'IN_PROGRESS' } }, failed('session_expired')],
    ['in an unknown state', { liveness: { Status: 'PASSED' } }, failed('malformed')],
    ['of another session', { liveness: { SessionId: 's-2' } }, failed('malformed')],
    ['without a picture', { liveness: { ReferenceImage: undefined } }, failed('reference_missing')],
    [
      'with an invalid picture',
      { liveness: { ReferenceImage: { Bytes: 'QUFB' } } },
      failed('malformed'),
    ],
    ['below the review threshold', match(89.9), failed('face_mismatch')],
    ['at the review threshold', match(90), unsure('face_unsure')],
    ['just below the passing threshold', match(98.99), unsure('face_unsure')],
    ['at the passing threshold', match(99), ['passed', null]],
    ['with two faces', match(99.9, 1), failed('multiple_faces')],
    ['without a face', match(), unsure('portrait_unusable')],
    [
      'with a face that matches none',
      { comparison: { FaceMatches: [], UnmatchedFaces: [{}] } },
      failed('face_mismatch'),
    ],
    [
      'refused by the comparison',
      { comparison: { __type: 'ImageTooLargeException' } },
      unsure('portrait_unusable'),
    ],
    [
      'another error of the comparison',
      { comparison: { __type: 'AccessDenied' } },
      failed('malformed'),
    ],
    ['without a comparison', { comparison: undefined }, failed('malformed')],
    ['a comparison with wrong types', match('99.5'), failed('malformed')],
  ])('is judged correctly when it is: %s', (_what, changes, expected) => {
    expect(judged(changes)).toEqual(expected);
  });

  it('is valid only for its challenge, and until it expires', () => {
    const late = { expiresAt: new Date(at.getTime() - 1) };
    expect(judged({}, late)).toEqual(failed('session_expired'));
    for (const [answers, reason] of [
      [{ ...http, liveness: { ...http.liveness, key: 'ch_2' } }, 'malformed'],
      [{ ...http, comparison: { ...http.comparison, session_id: 's-2' } }, 'malformed'],
      [{ liveness, comparison }, 'malformed'],
    ] as const) {
      const verdict = verifyFaceClaim(policy, { ...given, provider: 'http', answers }, at);
      expect([verdict.verdict, verdict.reason_code]).toEqual(failed(reason));
    }
  });
});

it.each([
  ['rekognition', { liveness, comparison }, 'ReferenceImage.Bytes'],
  ['http', http, 'reference_image'],
])(
  'the pictures of a claim of %s are removed from the evidence file',
  async (provider, answers, path) => {
    const { session, key } = given;
    const input = {
      provider,
      session,
      key,
      expires_at: at.toISOString(),
      portrait: Bytes,
      answers,
    };
    const thresholds = ['confidence_percent_min', 'similarity_percent_min'].map((name) => [
      name,
      90,
    ]);
    const file = nameImages({
      format: 'trustcheck-evidence/1',
      kind: 'face-claim',
      at: at.toISOString(),
      policy: { ...Object.fromEntries(thresholds), similarity_percent_review: 80 },
      input,
    });
    const { file: rest, places } = takeOutImages(file);
    expect(JSON.stringify(rest)).not.toContain(Bytes.slice(0, 16));
    const paths = ['input.portrait', `input.answers.liveness.${path}`];
    expect(places.map((place) => place.path.join('.'))).toEqual(paths);
    expect((await judgeAnyEvidence(file)).verdict).toBe('passed');
    const gone = places.map((place) => ({ ...place, removed_at: at }));
    expect(await judgeAnyEvidence(withoutImages(rest, gone))).toMatchObject({
      verdict: 'inconclusive',
      reason_code: 'evidence_removed',
    });
  },
);
