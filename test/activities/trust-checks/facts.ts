import type { Proven } from '../../../activities/trust-checks/proven.ts';
import type { ProofType } from '../../../workflows/proofs.ts';

export const judgedAt = new Date('2026-11-20T12:00:00Z');

/** A person as their documents have them. */
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

/** What a proof yields of a person; of the phone and the face it is nothing that names one. */
export function provenOf(proof: ProofType, person: Person, deviceId: string | null = 'dev_1') {
  const proven: Proven = {
    proof,
    outcome: 'passed',
    claims: claimsOf(proof, person),
    facts: factsOf(proof, person),
    judgedAt,
    deviceId,
  };
  return proven;
}

function claimsOf(proof: ProofType, { full_name, date_of_birth, sex, expires_on }: Person) {
  if (proof === 'phone') return { phone_number: '+12025550100' };
  if (proof !== 'nfc_passport' && proof !== 'document') return {};
  return {
    full_name,
    date_of_birth,
    sex,
    document_type: 'passport',
    issuing_country: 'UTO',
    document_expires_on: expires_on,
  };
}

function factsOf(proof: ProofType, { number }: Person): Record<string, unknown> {
  const document_number_hash = number;
  if (proof === 'document') return { document_number_hash };
  if (proof !== 'nfc_passport') return {};
  return { document_number_hash, levels: { passive: 'ok', active: 'ok', chip: 'absent' } };
}
