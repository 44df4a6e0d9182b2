import { expect, it } from 'vitest';
import {
  describeProof,
  type StatedProof,
} from '../../../../domain/affidavit/words/proof-results.ts';
import { captureSignals } from '../../../../domain/names.ts';

const face: StatedProof = {
  type: 'biometric',
  status: 'passed',
  reason_code: null,
  judgement: 'passed',
  provider: 'frames',
  capture: 'browser',
  checks: [],
  facts: {},
};

it('an affidavit lists the capture signals of the browser, if there are any', () => {
  expect(describeProof(face)).not.toContain('reported');
  expect(describeProof({ ...face, capture_signals: ['virtual_camera'] })).toMatch(
    / This browser reported: its camera has the name of a program\.$/,
  );
  expect(describeProof({ ...face, capture_signals: [...captureSignals] })).toMatch(
    /: a program controls it; its camera has the name of a program; its camera repeats pictures\.$/,
  );
});
