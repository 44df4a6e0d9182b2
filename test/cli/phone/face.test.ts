import { expect, test } from 'vitest';
import { takeFaces } from '../../../activities/proofs/face/read.ts';
import type { FaceAction } from '../../../domain/proofs/face/challenge.ts';
import { usualPolicy, verifyFaceMatch } from '../../../domain/proofs/face/verify-face-match.ts';
import { chipPortrait, showFace } from '../../../simulator/face/face.ts';
import { phoneFailures } from '../../../simulator/failures/failures.ts';
import { unseen } from '../../support/fixtures/faces/judge.ts';

const issuedAt = new Date('2026-11-22T12:00:00Z');
const expiresAt = new Date(+issuedAt + 60_000);
const actions: FaceAction[] = ['turn_left', 'blink', 'look_up'];

/** Reading takes about 30 s on an idle processor, and longer on a busy one. */
const readingMsMax = 300_000;

test.each(['liveness', 'face_switch'] as const)(
  'a phone with --fail %s fails with the documented reason',
  async (fail) => {
    const frames = await showFace(actions, fail);
    const { reading } = await takeFaces({ portrait: chipPortrait(), frames });
    const challenge = { actions, issuedAt, expiresAt };
    const policy = { ...usualPolicy, reader: reading.reader };
    const given = { challenge, frames, repeats: unseen };
    const verdict = verifyFaceMatch(policy, given, reading, expiresAt);
    expect(verdict.verdict).toBe('failed');
    expect(phoneFailures[fail].reasons).toEqual([verdict.reason_code]);
  },
  readingMsMax,
);
