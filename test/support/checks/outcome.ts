/** What is kept of a check that passed and of which nothing else is known. */
export const unmatched = {
  claimsSealed: null,
  namesBlind: [],
  matching: {},
  decision: { outcome: 'pass', rule: null, level: 'low', policy_version: '1' },
  documentBlind: null,
} as const;
