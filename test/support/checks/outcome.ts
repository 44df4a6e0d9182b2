/** The stored record of a passed check without any other data. */
export const unmatched = {
  claimsSealed: null,
  namesBlind: [],
  matching: {},
  decision: { outcome: 'pass', rule: null, level: 'low', policy_version: '1' },
  documentBlind: null,
} as const;
