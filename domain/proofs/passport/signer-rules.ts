import { MalformedDer } from '../../pki/read-der.ts';
import { nameOf, schemeOf } from '../../pki/x509/algorithms.ts';
import { keyUsages } from '../../pki/x509/extensions.ts';
import { signsFor } from '../mrz/countries.ts';
import type { RuleAnswer } from '../verdict.ts';
import { dataGroupBytesMax } from './data/lds.ts';
import { isListed, readSod } from './data/sod.ts';
import { legacyOf, type Findings } from './findings.ts';
import {
  countryDateFaultOf,
  countryIssueFaultOf,
  type CountryCertificate,
} from './signer/certificate.ts';
import { verifySigner } from './signer/country-signed.ts';
import { revocationOf } from './signer/revocation.ts';

/**
 * id-icao-mrtd-security-ldsSecurityObject: the only extended key usage of a document signer
 * (docs/decisions/016-passports.md). A key with any other usage signs other things.
 */
const documentUse = '2.23.136.1.1.1';

const tooMany = 'too many CSCAs of its issuer’s name or key';

/**
 * Checks that EF.SOD is an LDS security object, and that no file is larger than a chip can hold.
 */
export function checkParse(findings: Findings): RuleAnswer {
  const { sod, dataGroups } = findings.input;
  for (const [name, file] of Object.entries(dataGroups)) {
    if (file.length > dataGroupBytesMax) {
      return { fault: 'malformed', detail: `${name} is larger than 1 MiB` };
    }
  }
  try {
    findings.sod = readSod(sod);
  } catch (error) {
    if (!(error instanceof MalformedDer)) throw error;
    return { fault: 'malformed', detail: `SOD: ${error.message}` };
  }
  return { ok: true };
}

/** ICAO 9303-11, passive authentication: the document signer signed the hashes of the groups. */
export function checkSignature(findings: Findings): RuleAnswer {
  const { sod } = findings;
  if (!sod) return { skipped: 'no SOD' };
  if (!sod.signer)
    return { fault: 'sod_signature_invalid', detail: 'no certificate of the signer' };
  const answer = verifySigner(sod.signed, sod.signer, legacyOf(findings));
  if (!answer.ok) {
    const refused = answer.fault === 'refused';
    return {
      fault: refused ? 'algorithm_refused' : 'sod_signature_invalid',
      detail: answer.detail,
    };
  }
  findings.signingTime = answer.signingTime;
  const { scheme, digest } = answer;
  if (scheme.hash === 'sha1') findings.weak.push(`sod: ${nameOf(scheme)}`);
  else if (digest === 'sha1') findings.weak.push('sod: sha1');
  return { ok: true };
}

/**
 * A country signing CA issued the document signer (ICAO 9303-12, certification path). One of our
 * certificates with its issuer's key identifier or name verifies it, and is a CA.
 */
export function checkChain(findings: Findings): RuleAnswer {
  const signer = findings.sod?.signer;
  if (!signer) return { skipped: 'no document signer' };
  const misuse = misuseOf(signer);
  if (misuse) return { fault: 'csca_not_trusted', detail: misuse };
  const issuers = findings.store.issuersOf(signer);
  const faults = new Set<string>();
  for (const issuer of issuers) {
    if (!findings.tries.take()) {
      findings.isCscaAmbiguous = true;
      return { unknown: 'csca_ambiguous', detail: tooMany };
    }
    const fault = countryIssueFaultOf(signer, issuer, legacyOf(findings));
    if (!fault && !issuer.intact()) return { fault: 'csca_not_trusted', detail: 'damaged CSCA' };
    if (!fault && !maySignCertificates(issuer)) {
      return { fault: 'csca_not_trusted', detail: 'the trust anchor is no CA' };
    }
    if (!fault) {
      findings.csca = issuer;
      const scheme = schemeOf(signer.signatureAlgorithm, null);
      if (scheme?.hash === 'sha1') findings.weak.push(`document signer: ${nameOf(scheme)}`);
      return { ok: true };
    }
    faults.add(fault);
  }
  if (issuers.length === 0) return { skipped: 'no CSCA of its issuer’s name or key' };
  return faults.has('invalid')
    ? { fault: 'csca_not_trusted', detail: 'signed by no CSCA of its issuer’s name' }
    : { fault: 'algorithm_refused', detail: 'document signer certificate' };
}

/** Checks that the CSCA is trusted, and belongs to the State that issued the document. */
export function checkCountrySigner(findings: Findings): RuleAnswer {
  const { sod, csca, storeFault, mrz, isCscaAmbiguous } = findings;
  if (!sod?.signer) return { skipped: 'no document signer' };
  if (isCscaAmbiguous) return { skipped: tooMany };
  if (!csca)
    return { fault: 'csca_not_trusted', detail: storeFault ?? 'no trusted CSCA issued it' };
  const { country } = csca.subject;
  if (!country || country !== sod.signer.subject.country) {
    return { fault: 'country_mismatch', detail: 'document signer and CSCA' };
  }
  const dg1 = findings.input.dataGroups['DG1'];
  const authentic = dg1 && isListed(sod, 1, dg1);
  if (authentic && mrz && !signsFor(country, mrz.issuingState)) {
    return { fault: 'country_mismatch', detail: `${country} and ${mrz.issuingState}` };
  }
  if (authentic && mrz && !maySign(sod.signer, mrz.documentCode)) {
    const detail = `the signer may not sign documents of type ${mrz.documentCode}`;
    return { fault: 'csca_not_trusted', detail };
  }
  return { ok: true };
}

/**
 * ICAO 9303-12, key usage and validity: a signer's certificate outlives the documents it signed.
 */
export function checkSignerDates({ sod, signingTime, at }: Findings): RuleAnswer {
  if (!sod?.signer) return { skipped: 'no document signer' };
  const now = countryDateFaultOf(sod.signer, at);
  if (now) return { fault: 'dsc_expired', detail: now };
  const signing = signingTime && countryDateFaultOf(sod.signer, signingTime);
  return signing ? { fault: 'dsc_expired', detail: `${signing} when it signed` } : { ok: true };
}

/** ICAO 9303-12, CRL: neither the document signer nor a certificate above it is revoked. */
export function checkRevocation(findings: Findings): RuleAnswer {
  const { sod, policy, csca, pathOf } = findings;
  if (!sod?.signer) return { skipped: 'no document signer' };
  const path = csca ? pathOf(csca) : [];
  const search = { ...findings, path, legacy: legacyOf(findings) };
  const answer = revocationOf(sod.signer, policy.crl ?? [], search);
  switch (answer) {
    case 'clear':
      return { ok: true };
    case 'revoked':
      return { fault: 'dsc_revoked', detail: `serial ${sod.signer.serial}` };
    case 'authority revoked':
      return { fault: 'csca_revoked', detail: `of ${path.map(({ serial }) => serial).join(', ')}` };
    case 'unusable':
      return { unknown: 'revocation_unknown', detail: 'revocation_unknown: unusable CRL' };
    case 'too many':
      return { unknown: 'revocation_unknown', detail: 'revocation_unknown: too many CRLs to try' };
    case 'unknown':
      return undecided(findings, 'no current CRL', 'revocation_unknown');
    default:
      return undecided(findings, `CRL ${answer}`, `revocation_unknown: CRL ${answer}`);
  }
}

/** The answer if no CRL clears the signer: acceptable unless the policy requires a CRL. */
function undecided({ policy }: Findings, why: string, skipped: string): RuleAnswer {
  return policy.require?.includes('crl')
    ? { unknown: 'revocation_unknown', detail: `revocation_unknown: ${why}` }
    : { skipped };
}

/**
 * Whether it is a CA by key usage, or by basic constraints only: published CSCAs lack one or the
 * other.
 */
function maySignCertificates({ isAuthority, keyUsage }: CountryCertificate): boolean {
  return keyUsage === null ? isAuthority : (keyUsage & keyUsages.keyCertSign) !== 0;
}

/**
 * Whether the signer may sign a document whose MRZ has this document code (ICAO 9303-12,
 * documentTypeList). One letter covers every code that begins with it.
 */
function maySign({ documentTypes }: CountryCertificate, documentCode: string): boolean {
  const withoutFillers = (text: string): string => text.replaceAll('<', '');
  const code = withoutFillers(documentCode);
  return (documentTypes ?? [code]).map(withoutFillers).some((type) => {
    return type.length === 1 ? code.startsWith(type) : code === type;
  });
}

/**
 * Returns why a certificate is not a document signer's (ICAO 9303-12, certificate profiles), or
 * null.
 */
function misuseOf(signer: CountryCertificate): string | null {
  if (signer.isAuthority) return 'the signer is a CA';
  if (signer.keyUsage !== null && !(signer.keyUsage & keyUsages.digitalSignature)) {
    return 'the signer’s key is not for signatures';
  }
  const foreign = signer.extendedKeyUsage.some((use) => use !== documentUse);
  if (foreign) return 'the signer’s key is for other things than documents';
  const [critical] = signer.unknownCritical;
  return critical ? `unknown critical extension ${critical}` : null;
}
