import type { DecideInput } from '../../../domain/trust-checks/decide.ts';
import type { LinkPolicy } from '../../../domain/trust-checks/link-policy.ts';
import type { Proven } from '../../../domain/trust-checks/proven.ts';
import { proofTypes, type ProofState, type ProofType } from '../../../workflows/proofs.ts';

export const judgedAt = new Date('2026-11-20T12:00:00Z');

/** A person as on their documents. */
export interface Person {
  readonly full_name: string;
  readonly date_of_birth: string;
  readonly sex: string;
  readonly number: string;
  readonly expires_on: string;
}

export const anna: Person = {
  full_name: 'ANNA MARIA ERIKSSON',
  date_of_birth: '1974-08-12',
  sex: 'F',
  number: 'a1',
  expires_on: '2029-04-15',
};

/** The claims of a person from a proof; phone and face name no one. */
export function provenOf(proof: ProofType, person: Person, deviceId: string | null = 'dev_1') {
  const proven: Proven = {
    proof,
    outcome: 'passed',
    claims: claimsOf(proof, person),
    facts: factsOf(proof, person),
    judgedAt,
    deviceId,
    evidenceHash: hashOf(proof, person),
    comparedWith: proof === 'biometric' ? hashOf('nfc_passport', person) : null,
  };
  return proven;
}

/** Stands for the evidence hash; each person has another one. */
export const hashOf = (proof: ProofType, person: Person): string => JSON.stringify([proof, person]);

function claimsOf(proof: ProofType, { full_name, date_of_birth, sex, expires_on }: Person) {
  if (proof === 'phone') return { phone_number: '+12025550100' };
  if (proof !== 'nfc_passport' && proof !== 'document') return {};
  return {
    full_name,
    surname: full_name.slice(full_name.lastIndexOf(' ') + 1),
    given_names: full_name.slice(0, Math.max(full_name.lastIndexOf(' '), 0)),
    date_of_birth,
    sex,
    document_type: 'passport',
    issuing_country: 'UTO',
    expires_on,
  };
}

function factsOf(proof: ProofType, { number }: Person): Record<string, unknown> {
  const document_number_hash = number;
  if (proof === 'document') return { document_number_hash };
  if (proof !== 'nfc_passport') return {};
  return { document_number_hash, levels: { passive: 'ok', active: 'ok', chip: 'absent' } };
}

/** The facts of a decision for these proof outcomes; passed proofs are Anna's. */
export function input(
  states: Partial<Record<ProofType, ProofState>>,
  policy: LinkPolicy = {},
  given: Partial<DecideInput> = {},
): DecideInput {
  const types = proofTypes.filter((type) => states[type] !== undefined);
  return {
    snapshot: {
      device_id: 'dev_1',
      proofs: types.map((type) => ({
        type,
        status: states[type] ?? 'ready',
        attempt: 3,
        max_attempts: 3,
        reason_code: null,
        provider: null,
        evidence_hash: null,
      })),
    },
    proven: types.filter((type) => states[type] === 'passed').map((type) => provenOf(type, anna)),
    matching: {},
    policy,
    reviewOnUnsure: false,
    isDuplicate: false,
    now: judgedAt,
    ...given,
  };
}

export const three = { device: 'passed', nfc_passport: 'passed', phone: 'passed' } as const;
export const five = { ...three, document: 'passed', biometric: 'passed' } as const;

/** An instant this long before the judgement. */
export const before = (ms: number): string => new Date(judgedAt.getTime() - ms).toISOString();
/** A passport beside a phone with these facts. */
export const attested = (facts: Record<string, unknown>): Partial<DecideInput> => ({
  proven: [{ ...provenOf('device', anna), facts }, provenOf('nfc_passport', anna)],
  now: judgedAt,
});
