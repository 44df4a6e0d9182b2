import type { Wrong } from './failures.ts';

/** Failures of the person in front of the camera, or of the face frames. */
export const faceFailures = {
  face: {
    does: 'another person looks into the camera',
    reasons: ['face_mismatch'],
  },
  face_aside: {
    does: 'the face is never turned to the camera',
    reasons: ['face_turned'],
  },
  face_blurred: {
    does: 'the camera is out of focus',
    reasons: ['face_blurred'],
  },
  face_bright: {
    does: 'a lamp shines into the camera',
    reasons: ['face_bright'],
  },
  face_cropped: {
    does: 'part of the face is not in the picture',
    reasons: ['face_cropped'],
  },
  face_dark: {
    does: 'the face is in the dark',
    reasons: ['face_dark'],
  },
  face_hurried: {
    does: 'all frames are taken at the same time',
    reasons: ['frames_untimely'],
  },
  face_repeated: {
    does: 'one frame is submitted twice',
    reasons: ['frames_repeated'],
  },
  face_small: {
    does: 'the face is far away',
    reasons: ['face_small'],
  },
  face_switch: {
    does: 'another person takes over before the camera',
    reasons: ['identity_switch'],
  },
  liveness: {
    does: 'a photograph is held before the camera',
    reasons: ['challenge_failed'],
  },
  nobody: {
    does: 'no person is before the camera',
    reasons: ['no_face'],
  },
  portrait_empty: {
    does: 'the portrait in the chip shows no face',
    reasons: ['portrait_unusable'],
  },
  two_faces: {
    does: 'two people are before the camera',
    reasons: ['multiple_faces'],
  },
} as const satisfies Readonly<Record<string, Wrong>>;
