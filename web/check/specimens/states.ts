import type { CheckFacts, SpecimenFacts } from '../../../api/links/visitor/pages/check-facts.ts';
import type { TrustCheckState } from '../../../workflows/trust-check/state.ts';
import type { CheckEvent } from '../session/follow.ts';
import { nothing, type RunnerState } from '../session/runner.ts';
import type { CheckState, ShownProof } from '../session/state.ts';
import type { Check } from '../session/use-check.ts';

const at = '2026-11-01T09:00:00.000Z';
export const checkId = 'tc_00000000000000000000000000';
export const linkUrl = 'https://example.com/v2/app/link';
export const pairFragment = '#p=tc_00000000000000000000000000.1.AAAAAAAAAAAAAAAAAAAAAA';

/** The facts of an active link that requests every proof a browser can submit. */
export function factsOfSpecimen(given: SpecimenFacts, more: Partial<CheckFacts>): CheckFacts {
  return {
    link_uuid: '00000000-0000-4000-8000-000000000000',
    url: linkUrl,
    status: 'active',
    isActionable: true,
    isSingleUse: false,
    isEmailed: false,
    title: null,
    appUrl: 'https://store.example.com/app',
    isRedirected: false,
    proofs: ['phone', 'document', 'biometric'],
    claims: ['full_name', 'date_of_birth', 'age_over_18'],
    expires_at: '2030-01-31T17:00:00.000Z',
    isWebAllowed: true,
    isReviewOffered: true,
    isFileAllowed: false,
    acceptedCountries: null,
    isPhone: false,
    hosts: [],
    nonce: '',
    ...given,
    ...more,
  };
}

/** A check with operations that do nothing. */
export function checkOfSpecimen(held: Partial<RunnerState>): Check {
  const never = new Promise<never>(() => undefined);
  const noop = (): void => undefined;
  const inert = { start: noop, move: noop, show: noop, refresh: () => never, call: () => never };
  return { ...nothing, ...held, ...inert };
}

export function proofOf(
  type: ShownProof['type'],
  status: ShownProof['status'] = 'ready',
  more: Partial<ShownProof> = {},
): ShownProof {
  const attempt = status === 'ready' ? 0 : 1;
  return {
    type,
    status,
    attempt,
    max_attempts: 3,
    reason_code: null,
    provider: null,
    evidence_hash: null,
    capture: attempt === 0 ? null : 'browser',
    ...more,
  };
}

/** A check whose proofs were all accepted. */
export const accepted: readonly ShownProof[] = [
  proofOf('phone', 'passed'),
  proofOf('document', 'passed'),
  proofOf('biometric', 'passed'),
];

/** The state of a running check that was opened, joined and consented to. */
export function running(
  status: TrustCheckState,
  proofs: readonly ShownProof[] = [proofOf('phone'), proofOf('document'), proofOf('biometric')],
  more: Partial<CheckState> = {},
): Pick<RunnerState, 'phase' | 'session' | 'state' | 'events'> {
  const state: CheckState = {
    link_session_id: checkId,
    status,
    reason_code: null,
    proofs: [...proofs],
    affidavit: {
      status: 'none',
      reason_code: null,
      affidavit_id: null,
      sha256: null,
      available_at: null,
    },
    sequence: 4,
    ...more,
  };
  const types = ['created', 'opened', 'paired', 'consented'];
  const events: CheckEvent[] = types.map((type, index) => ({
    type: `trust_check.${type}`,
    created_at: at,
    sequence: index + 1,
    data: { object: state },
  }));
  const session = {
    id: checkId,
    token: '',
    resume: null,
    stream: '',
    place: 'here',
  } as const;
  return { phase: 'running', session, state, events };
}
