import { describe, expect, it } from 'vitest';

// Imported by URL, because this test has no types of a browser.
const module = new URL('../../../web/check/session/state.ts', import.meta.url).href;
interface State {
  readonly link_session_id: string;
  readonly proofs: readonly { readonly type: string; readonly attempt: number }[];
}
const { submittedSince } = (await import(module)) as {
  submittedSince(before: State | null, after: State | null): string[];
};

const stateOf = (phone: number, document: number, link_session_id = 'tc_1'): State => ({
  link_session_id,
  proofs: [
    { type: 'phone', attempt: phone },
    { type: 'document', attempt: document },
  ],
});

describe('submittedSince', () => {
  it.each([
    ['a first attempt', stateOf(0, 0), stateOf(1, 0), ['phone']],
    ['another attempt', stateOf(1, 1), stateOf(1, 2), ['document']],
    ['attempts of two proofs', stateOf(0, 0), stateOf(1, 1), ['phone', 'document']],
    ['no attempt', stateOf(1, 1), stateOf(1, 1), []],
    ['attempts of a restarted check', stateOf(1, 2), stateOf(0, 0), []],
    ['another check', stateOf(0, 0), stateOf(1, 1, 'tc_2'), []],
    ['the first known state', null, stateOf(1, 1), []],
    ['no state', stateOf(1, 1), null, []],
  ])('returns the submitted proofs of %s', (_what, before, after, submitted) => {
    expect(submittedSince(before, after)).toEqual(submitted);
  });
});
