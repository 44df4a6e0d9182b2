import { listMax } from './content.ts';

/**
 * The facts of a verdict that an affidavit may show: what was checked against, never who was
 * checked. Unlisted facts are left out: a document's number can be recovered from its hash, and the
 * subject of a country's certificate reveals the nationality.
 */
const shownFacts: ReadonlyMap<string, readonly string[]> = new Map([
  [
    'biometric',
    [
      'similarity',
      'similarity_min',
      'similarity_review_min',
      'liveness_score',
      'liveness_min',
      'frames_used',
      'judged_by',
      'confidence_percent',
      'confidence_percent_min',
      'similarity_percent',
      'similarity_percent_min',
    ],
  ],
  ['document', ['format']],
  [
    'nfc_passport',
    [
      'levels',
      'clonable',
      'digest_algorithm',
      'signature_algorithm',
      'weak_algorithms',
      'unlisted_data_groups',
    ],
  ],
  [
    'device',
    [
      'attested_at',
      'integrity_at',
      'environment',
      'category',
      'receipt',
      'attestation_version',
      'attestation_security_level',
      'keymint_version',
      'keymint_security_level',
      'verified_boot_state',
      'device_locked',
      'os_version',
      'os_patch_level',
      'packages',
      'algorithm',
      'key_size',
      'ec_curve',
      'purposes',
      'origin',
      'provisioning',
    ],
  ],
]);

/**
 * Returns the facts of a proof's verdict as rows: name → value in words. Members of an object get
 * its name as a prefix (`levels.active` → `levels_active`).
 */
export function shownFactsOf(proofType: string, facts: unknown): Record<string, string> {
  if (!isRecord(facts)) return {};
  const rows = (shownFacts.get(proofType) ?? []).flatMap((name) => rowsOf(name, facts[name]));
  return Object.fromEntries(rows.slice(0, listMax.facts));
}

function rowsOf(name: string, value: unknown): [string, string][] {
  if (!Array.isArray(value) && isRecord(value)) {
    return Object.entries(value).flatMap(([member, inner]) =>
      isRecord(inner) ? [] : rowsOf(`${name}_${member}`, inner),
    );
  }
  const words = wordsOf(value);
  return words === '' ? [] : [[name, words]];
}

function wordsOf(value: unknown): string {
  if (Array.isArray(value)) return value.map(wordsOf).filter(Boolean).join(', ');
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
}

/** Returns the policy rules of a link as rows, with the names of the interface. */
export function policyRowsOf(policy: Readonly<Record<string, unknown>>): Record<string, string> {
  const rows = Object.entries(policy).flatMap(([name, value]) => rowsOf(name, value));
  return Object.fromEntries(rows.slice(0, listMax.facts));
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;
