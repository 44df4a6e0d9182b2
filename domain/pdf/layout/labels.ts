import { proofName } from '../../proofs/proof-words.ts';

/** Words on the pages for codes of the interface. */

const words: Readonly<Record<string, string>> = {
  ios: 'iOS',
  hwk: 'attested hardware key (hwk)',
  sms: 'code by SMS (sms)',
  vcrypt: 'signatures of the document (vcrypt)',
  vri: 'inspection of the document (vri)',
  bvr: 'biometric comparison (bvr)',
  confidence_percent: 'confidence (percent)',
  confidence_percent_min: 'confidence needed (percent)',
  liveness_min: 'liveness needed',
  liveness_score: 'liveness',
  similarity_min: 'similarity needed',
  similarity_percent: 'similarity (percent)',
  similarity_percent_min: 'similarity needed (percent)',
  similarity_review_min: 'similarity for a review',
  not_consented: 'not consented to: the person did not agree to give it',
  not_established: 'not established: no proof of this check shows it',
  not_requested: 'not asked for',
  not_checked: 'not compared: no proof showed a value that the service could compare',
  unsure: 'not certain',
  clonable: 'chip may be a copy',
  levels_active: 'active authentication',
  levels_chip: 'chip authentication',
  levels_passive: 'passive authentication',
  true: 'yes',
  false: 'no',
};

const providers: Readonly<Record<string, string>> = {
  app_attest: 'Apple App Attest',
  key_attestation: 'Android Key Attestation',
  frames: 'pictures from a camera, compared by this service',
  http: 'an outside provider, whose result this service did not check',
  images: 'photographs, read by this service',
  nfc: 'chip, read by NFC',
  rekognition: 'Amazon Rekognition, whose result this service did not check',
  sandbox: 'none: a test check with a preset result',
  sms: 'SMS',
};

/** Returns the name of the provider of a proof. */
export function providerText(code: string): string {
  return (Object.hasOwn(providers, code) ? providers[code] : undefined) ?? codeText(code);
}

/** Returns a code as words; other text is unchanged. */
export function codeText(code: string): string {
  const known = Object.hasOwn(words, code) ? words[code] : undefined;
  return known ?? (/^[a-z][a-z0-9]*(?:_[a-z0-9]+)+$/.test(code) ? code.replaceAll('_', ' ') : code);
}

/** Returns a code as a label: `age_over_18` → `Age over 18`. */
export function labelOf(code: string): string {
  const text = codeText(code.replaceAll(/\s/g, ' '));
  const plain = text.startsWith('os ') ? `OS ${text.slice(3)}` : text;
  return plain.charAt(0).toUpperCase() + plain.slice(1);
}

export function namesOf(codes: readonly string[]): string {
  return codes.length === 0 ? 'none' : codes.map(codeText).join(', ');
}

const proofStates: Readonly<Record<string, string>> = {
  in_review: 'not decided',
  requires_retry: 'failed, the person can try again',
  skipped: 'not checked',
};

/** Returns a state in words, or a proof and its state, as in `phone: requires_retry`. */
export function stateText(state: string): string {
  const [type = '', status] = state.split(': ');
  if (status === undefined) return codeText(state);
  const known = Object.hasOwn(proofStates, status) ? proofStates[status] : undefined;
  return `${proofName(type)}: ${known ?? codeText(status)}`;
}

/** Returns a value of a table in words; times in the common form. */
export function valueText(value: string): string {
  const isInstant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z$/.test(value);
  return isInstant ? instantText(value) : codeText(value);
}

/** Returns a time in seconds; the attachment has milliseconds. */
export function instantText(instant: string): string {
  const { length } = '2026-01-01T00:00:00';
  return `${instant.slice(0, length).replace('T', ' ')} UTC`;
}

/** Returns a digest in blocks of eight, for comparison by eye. */
export function digestText(hex: string | null): string {
  return hex === null ? 'none on record' : hex.replaceAll(/(.{8})(?=.)/g, '$1 ');
}
