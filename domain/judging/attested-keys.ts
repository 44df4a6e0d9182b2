import type { Verdict } from '../proofs/verdict.ts';
import type { EvidenceFile } from './files.ts';

const signed = ['apple-assertion', 'android-assertion'] as const;

/** The keys of an export: attested ones, and those that signed requests. */
export interface AttestedKeys {
  take(file: EvidenceFile, verdict: Verdict): void;
  /**
   * Returns the verdict on a key that signed a request and is not attested: no single file shows
   * that the request came from the phone. Null if there is no such key, or nothing was attested.
   */
  verdict(): Verdict | null;
}

export function findKeys(): AttestedKeys {
  const attested = new Set<unknown>();
  const used: string[] = [];
  return {
    take(file, { kind, facts }) {
      if (file.kind === signed[0] || file.kind === signed[1]) {
        used.push(Buffer.from(file.input.public_key_spki).toString('base64'));
      } else if (kind === 'apple-attestation' || kind === 'android-key-attestation') {
        attested.add(facts['public_key_spki']);
      }
    },
    verdict() {
      const foreign = used.find((key) => !attested.has(key));
      if (attested.size === 0 || foreign === undefined) return null;
      return {
        format: 'trustcheck-verdict/1',
        kind: 'device-key',
        verdict: 'failed',
        reason_code: 'public_key_mismatch',
        checks: [{ name: 'attested', result: 'failed' }],
        facts: { public_key_spki: foreign },
      };
    },
  };
}
