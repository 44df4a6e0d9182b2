import { expect, it } from 'vitest';
import {
  describeProof,
  type StatedProof,
} from '../../../../domain/affidavit/words/proof-results.ts';

const asked: StatedProof = {
  type: 'document',
  status: 'passed',
  reason_code: 'review_requested',
  judgement: 'unsure',
  provider: null,
  capture: null,
  checks: [],
  facts: {},
};
const nothing = 'The person asked for a review, so the service did not check this attempt.';

it.each([
  ['passed', 'accepted by the reviewer'],
  ['failed', 'not accepted by the reviewer'],
  ['in_review', 'not decided'],
])('a proof sent to review at the person’s request, %s, claims no check', (status, result) => {
  expect(describeProof({ ...asked, status })).toBe(`Photographed document: ${result}. ${nothing}`);
});
