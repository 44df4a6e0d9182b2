import { expect, it } from 'vitest';
import { takeFaces } from '../../../../activities/proofs/face/read.ts';
import { shownFactsOf } from '../../../../domain/affidavit/facts.ts';
import {
  describeProof,
  explainProof,
  statedFacts,
} from '../../../../domain/affidavit/words/proof-results.ts';
import type { FaceAction } from '../../../../domain/proofs/face/challenge.ts';
import { usualPolicy, verifyFaceMatch } from '../../../../domain/proofs/face/verify-face-match.ts';
import { chipPortrait, showFace } from '../../../../simulator/face/face.ts';
import { faceProof } from '../../../support/fixtures/affidavits/contents.ts';
import { unseen } from '../../../support/fixtures/faces/judge.ts';
import { seeded } from '../../../support/fixtures/seeded.ts';

const issuedAt = new Date('2026-11-22T12:00:00Z');
const expiresAt = new Date(+issuedAt + 60_000);
const actions: FaceAction[] = ['turn_left', 'blink', 'look_up'];

it('an affidavit claims no face comparison when the pictures show a second person', async () => {
  const frames = await showFace(actions, 'face_switch', { random: seeded(3) });
  const { reading } = await takeFaces({ portrait: chipPortrait(), frames });
  const challenge = { actions, issuedAt, expiresAt };
  const policy = { ...usualPolicy, reader: reading.reader };
  const given = { challenge, frames, repeats: unseen };
  const verdict = verifyFaceMatch(policy, given, reading, expiresAt);
  expect(verdict.facts['similarity']).toBeGreaterThan(usualPolicy.threshold);
  expect(verdict.checks).toContainEqual(
    expect.objectContaining({ name: 'match', result: 'skipped' }),
  );
  const { reason_code, checks } = verdict;
  const facts = shownFactsOf('biometric', verdict.facts);
  const proof = { ...faceProof, reason_code, checks: [...checks], facts };
  expect(describeProof(proof)).toContain('A comparison of the face with a portrait has no result.');
  expect(describeProof(proof)).not.toContain('compared the face');
  const stated = { ...proof, facts: statedFacts(proof) };
  expect(Object.keys(stated.facts).join()).not.toContain('similarity');
  expect(explainProof(stated).join()).not.toContain('Similarity');
});
