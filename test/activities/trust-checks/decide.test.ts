import { describe, expect, it } from 'vitest';
import { decide } from '../../../activities/trust-checks/decide.ts';
import type { LinkPolicy } from '../../../db/schema/links.ts';
import type { ProofState, ProofType } from '../../../workflows/proofs.ts';
import type { TrustCheckSnapshot } from '../../../workflows/trust-check/messages.ts';

function decided(
  proofs: Partial<Record<ProofType, ProofState>>,
  policy: LinkPolicy,
  claims: Record<string, string> = {},
) {
  const snapshot: TrustCheckSnapshot = {
    link_session_id: 'tc_1',
    version: 1,
    status: 'processing',
    reason_code: null,
    proofs: Object.entries(proofs).map(([type, status]) => ({
      type: type as ProofType,
      status,
      attempt: 1,
      max_attempts: 3,
      reason_code: status === 'in_review' ? 'provider_unavailable' : null,
      provider: null,
      evidence_hash: null,
    })),
    poly_user_id: null,
    device_id: null,
    consent: null,
    log: [],
  };
  const { move, reason_code } = decide({
    snapshot,
    matching: {},
    claims,
    policy,
    reviewOnUnsure: false,
  });
  return [move, reason_code];
}

const three = { device: 'passed', nfc_passport: 'passed', phone: 'passed' } as const;

describe('a policy', () => {
  it.each([
    [{ phone: 'passed' }, {}, {}, ['pass', null]],
    [{ phone: 'passed' }, { allowed_countries: ['DEU'] }, {}, ['fail', 'policy_denied']],
    [three, { allowed_countries: ['DEU'] }, { issuing_country: 'UTO' }, ['fail', 'policy_denied']],
    [three, { allowed_countries: ['UTO'] }, { issuing_country: 'UTO' }, ['pass', null]],
    [{ phone: 'passed' }, { min_level: 'low' }, {}, ['pass', null]],
    [{ phone: 'passed' }, { min_level: 'substantial' }, {}, ['fail', 'policy_denied']],
    [three, { min_level: 'substantial' }, {}, ['pass', null]],
    [three, { min_level: 'high' }, {}, ['fail', 'policy_denied']],
    [{ phone: 'in_review' }, {}, {}, ['review', 'provider_unavailable']],
  ] as const)('over %o with %o and %o is %o', (proofs, policy, claims, expected) => {
    expect(decided(proofs, policy as LinkPolicy, claims)).toEqual(expected);
  });
});
