import { codeText } from '../../pdf/layout/labels.ts';

/** The name of each step of a verdict on the pages; the attached JSON has the original names. */
const words: ReadonlyMap<string, string> = new Map([
  // Any proof
  ['parse', 'data can be read'],
  ['expiry', 'not expired'],
  ['check_digits', 'check digits'],
  // Passport chip
  ['sod_signature', 'signature over the data'],
  ['dsc_chain', 'certificate of the signer'],
  ['csca_trusted', 'trusted authority of the State'],
  ['dsc_dates', 'dates of the certificates'],
  ['revocation', 'certificates not revoked'],
  ['dg_hashes', 'files match the signature'],
  ['mrz', 'machine-readable lines'],
  ['active_auth', 'active authentication'],
  ['chip_auth', 'chip authentication'],
  // Photographed document
  ['image', 'images can be used'],
  ['locate', 'document found'],
  ['read', 'data read'],
  ['cross_check', 'data agrees in two places'],
  // Face
  ['one_face', 'one face'],
  ['quality', 'quality of the pictures'],
  ['match', 'match with the portrait'],
  ['liveness', 'live person'],
  ['claim', 'result of the provider'],
  ['answer', 'answer of the provider'],
  ['session', 'session with the provider'],
  ['reference', 'picture from the provider'],
  // Device
  ['chain', 'chain of certificates'],
  ['root', 'trusted root'],
  ['dates', 'dates of the certificates'],
  ['nonce', 'answer to this request'],
  ['challenge', 'answer to this request'],
  ['key_id', 'name of the key'],
  ['app_id', 'expected app'],
  ['application_id', 'expected app'],
  ['counter', 'counter of signatures'],
  ['credential_id', 'attested key'],
  ['public_key', 'value of the key'],
  ['category', 'kind of installation'],
  ['bundle_version', 'version of the app'],
  ['receipt', 'receipt from Apple'],
  ['extension_position', 'place of the key description'],
  ['security_level', 'secure hardware'],
  ['origin', 'key made in the device'],
  ['root_of_trust', 'unmodified operating system'],
  ['patch_level', 'security updates'],
  ['purposes', 'purpose of the key'],
  ['sandbox_subject', 'preset result'],
]);

/** Returns the name of a step on the pages. */
export const stepName = (step: string): string => words.get(step) ?? codeText(step);
