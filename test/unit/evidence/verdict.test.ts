import { expect, it } from 'vitest';
import { judge } from '../../../domain/proofs/verdict.ts';

class NameOfOurCode extends TypeError {
  override name = 'NameOfOurCode';
}

it('a rule that throws fails as malformed, without the internal error in the verdict', () => {
  const rules = [
    {
      name: 'chain',
      judge: () => {
        throw new NameOfOurCode('reading certificates.ts failed');
      },
    },
  ];
  const { checks, reason_code: reason } = judge('mrz', rules, {}, () => ({}));
  expect(reason).toBe('malformed');
  expect(checks).toEqual([
    { name: 'chain', result: 'failed', detail: 'the evidence cannot be read' },
  ]);
});
