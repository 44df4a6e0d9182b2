import { createHash } from 'node:crypto';
import { MalformedDer } from '../../pki/read-der.ts';
import { alpha3Of } from '../mrz/countries.ts';
import { birthDateOf, expiryDateOf } from '../mrz/dates.ts';
import { fullNameOf } from '../mrz/verify-mrz.ts';
import { judge, type Rule, type RuleAnswer, type Verdict } from '../verdict.ts';
import { checkActiveAuth, checkChipAuth } from './chip-rules.ts';
import { faceOf, factsOfFace } from './data/face.ts';
import { isListed } from './data/sod.ts';
import { checkDataGroups, checkDocumentExpiry, checkDocumentMrz } from './document-rules.ts';
import { findingsOf, type EmrtdInput, type EmrtdPolicy, type Findings } from './findings.ts';
import {
  checkChain,
  checkCountrySigner,
  checkParse,
  checkRevocation,
  checkSignature,
  checkSignerDates,
} from './signer-rules.ts';

export type { ChipAnswer, EmrtdInput, EmrtdPolicy } from './findings.ts';

/**
 * Judges the data from the chip of a passport or identity card (ICAO 9303-10, -11, -12). `at` is
 * the only time for certificates, revocation, expiry and age. It takes the files as they are on the
 * chip: EF.SOD and EF.DG1 to EF.DG16 with their outer tags. It returns a verdict for any bytes,
 * never throws and takes milliseconds.
 *
 * Choices that the specification leaves open:
 * - The document signer certificate must be valid at `at` (ICAO 9303-12 makes it outlive the last
 *   document it signed) and at the signing time, if EF.SOD states one. The CSCA may be expired.
 * - RSA below 2,048 bits and curves that ICAO 9303-12 does not name are `algorithm_refused`. So
 *   is SHA-1, unless the policy flags it: then the facts list it under `weak_algorithms`.
 * - Without a current CRL of the issuer, `revocation` is skipped with `revocation_unknown` and
 *   the other rules decide. If the policy requires a CRL, the verdict is inconclusive. It is also
 *   inconclusive with an unreadable or wrongly signed CRL of the issuer, since that indicates
 *   tampering.
 * - The issuing State of DG1 is compared with the CSCA's only if DG1 is authentic. A forged DG1
 *   has no issuing State, and its fault is `dg_hash_mismatch`.
 * - A chip without active and chip authentication passes at level `passive`, unless the policy
 *   requires more.
 */
export function verifyEmrtd(policy: EmrtdPolicy, input: EmrtdInput, at: Date): Verdict {
  return judge('emrtd', rules, findingsOf(policy, input, at), factsOf);
}

/** Passive authentication holds if all of these do. */
const passiveChecks = [
  'sod_signature',
  'dsc_chain',
  'csca_trusted',
  'dsc_dates',
  'revocation',
  'dg_hashes',
];

const rules: readonly Rule<Findings>[] = [
  rule('parse', checkParse),
  rule('sod_signature', checkSignature),
  rule('dsc_chain', checkChain),
  rule('csca_trusted', checkCountrySigner),
  rule('dsc_dates', checkSignerDates),
  rule('revocation', checkRevocation),
  rule('dg_hashes', checkDataGroups),
  rule('mrz', checkDocumentMrz),
  rule('expiry', checkDocumentExpiry),
  rule('active_auth', checkActiveAuth),
  rule('chip_auth', checkChipAuth),
];

/** Creates a rule that also stores its result in the findings, for the levels in the facts. */
function rule(name: string, check: (findings: Findings) => RuleAnswer): Rule<Findings> {
  return {
    name,
    judge(findings) {
      const answer = check(findings);
      // Unknown revocation does not invalidate the signatures.
      if ('ok' in answer || (name === 'revocation' && !('fault' in answer))) {
        findings.passed.add(name);
      }
      return answer;
    },
  };
}

/** Whether the country's certificate is a simulator's: no State issued the passport. */
const isOfDevelopment = ({ csca, policy }: Findings): boolean =>
  policy.cscaDevelopment?.some((der) => csca && Buffer.compare(der, csca.der) === 0) ?? false;

function factsOf(findings: Findings): Record<string, unknown> {
  const { sod, mrz, at, passed } = findings;
  const passive = passiveChecks.every((name) => passed.has(name));
  const isOriginal = passive && [findings.activeAuth, findings.chipAuth].includes('ok');
  return {
    issuing_country: mrz ? alpha3Of(mrz.issuingState) : null,
    document_type: mrz?.documentType ?? null,
    document_number_hash: mrz ? sha256Of(mrz.documentNumber) : null,
    expires_on: mrz ? (expiryDateOf(mrz.expiryDate, at)?.text ?? null) : null,
    levels: {
      passive: passive ? 'ok' : 'failed',
      active: findings.activeAuth,
      chip: findings.chipAuth,
    },
    // Files can be copied in a minute: only a chip that answered is proven to be no copy.
    clonable: !isOriginal,
    lds: sod ? { security_object: sod.version, version: sod.ldsVersion } : null,
    face: faceFactsOf(findings),
    digest_algorithm: sod?.hash ?? null,
    signature_algorithm: sod?.signatureAlgorithm ?? null,
    weak_algorithms: findings.weak,
    csca_subject: findings.csca?.x509().subject.replaceAll('\n', ',') ?? null,
    claims: {
      full_name: mrz ? fullNameOf(mrz) : null,
      date_of_birth: mrz ? (birthDateOf(mrz.birthDate, at)?.text ?? null) : null,
      nationality: mrz ? alpha3Of(mrz.nationality) : null,
      sex: mrz?.sex ?? null,
    },
    unlisted_data_groups: findings.unlisted,
    ...(isOfDevelopment(findings) ? { development_root: true } : {}),
  };
}

/** Returns facts of the portrait, if it is the one that the State signed. */
function faceFactsOf({ sod, input }: Findings): Record<string, unknown> | null {
  const dg2 = input.dataGroups['DG2'];
  if (!dg2 || !sod || !isListed(sod, 2, dg2)) return null;
  try {
    return factsOfFace(faceOf(dg2));
  } catch (error) {
    if (error instanceof MalformedDer) return { unreadable: error.message };
    throw error;
  }
}

const sha256Of = (text: string): string => createHash('sha256').update(text).digest('hex');
