import { MalformedDer } from '../../../pki/read-der.ts';
import {
  dateFaultOf,
  issueFaultOf,
  pathLengthOf,
  readCertificate,
  readPem,
  signFaultOf,
  spkiOf,
  unknownCriticalOf,
  type Certificate,
} from '../../../pki/x509/certificate.ts';
import type { RuleAnswer } from '../../verdict.ts';
import { googleRootPems } from './google-roots.ts';
import { keyDescriptionOid } from './key-description.ts';
import { statusOf, type StatusList } from './status-list.ts';

/** Leaf first, root last. */
export type Chain = readonly Certificate[];

/** How the phone got its attestation key; null if the chain does not show it. */
export type Provisioning = 'factory' | 'remote' | null;

const chainLengthMax = 10;
/** ProvisioningInfo, in the certificate that a phone fetched for its attestation key. */
const provisioningOid = '1.3.6.1.4.1.11129.2.1.30';

/**
 * Reads the certificates of a chain, at most ten.
 * @throws `MalformedDer`
 */
export function readChain(chain: readonly Uint8Array[]): Chain {
  if (chain.length === 0 || chain.length > chainLengthMax) {
    throw new MalformedDer('the chain has no sensible length');
  }
  return chain.map(readCertificate);
}

/**
 * Checks that each certificate is issued by the next (RFC 5280 §6.1.3, §6.1.4). `checkRoot` judges
 * the last one.
 */
export function checkChain(chain: Chain): RuleAnswer {
  if (chain.length === 1) return { fault: 'chain_untrusted', detail: 'nobody issued the leaf' };
  for (const [index, parent] of chain.entries()) {
    const child = chain[index - 1];
    const fault =
      weakKeyOf(parent) ??
      (child && (isFactoryBatch(chain, index) ? signFaultOf : issueFaultOf)(child, parent)) ??
      (index > 0 && isPathTooLong(parent, index - 1) ? 'the path is too long' : null) ??
      (unknownCriticalOf(parent) ? 'an unknown critical extension' : null);
    if (fault) return { fault: 'chain_untrusted', detail: `certificate ${index}: ${fault}` };
  }
  return { ok: true };
}

/**
 * Whether a certificate is the batch certificate of a factory chain
 * (docs/decisions/015-device-attestation.md). Old ones are not marked as a CA, and Google's
 * verifier does not require it. So the batch certificate may issue the leaf as long as it has no
 * key description itself.
 */
function isFactoryBatch(chain: Chain, index: number): boolean {
  const isBatch = index === 1 && chain.length === 4 && provisioningOf(chain) === 'factory';
  return isBatch && chain[1]?.extensions.has(keyDescriptionOid) === false;
}

const rsaBitsMin = 2048;

/** Returns why a certificate's key is too weak to certify anything, or null. */
function weakKeyOf(certificate: Certificate): string | null {
  const { asymmetricKeyDetails: details } = certificate.publicKey() ?? {};
  const bits = details?.modulusLength;
  return bits !== undefined && bits < rsaBitsMin ? `RSA below ${rsaBitsMin} bits` : null;
}

/**
 * Checks that the key description is in the leaf and nowhere else. The phone's Keystore writes only
 * the one nearest to the root: the holder of an attested key could issue more below it.
 */
export function checkExtensionPosition(chain: Chain): RuleAnswer {
  const index = describedIndexOf(chain);
  if (index < 0) return { fault: 'extension_missing' };
  if (index === 0) return { ok: true };
  return { fault: 'extension_misplaced', detail: `in certificate ${index}` };
}

/** Returns the index of the key description nearest to the root; -1 if there is none. */
export const describedIndexOf = (chain: Chain): number =>
  chain.findLastIndex(({ extensions }) => extensions.has(keyDescriptionOid));

/**
 * Checks that the last certificate has a pinned key and is self-signed. Keys are compared instead
 * of certificates: phones carry copies of Google's RSA root made in 2016, 2019 and 2022.
 */
export function checkRoot(chain: Chain, rootPems: readonly string[] | undefined): RuleAnswer {
  const last = chain.at(-1);
  const keys = rootPems ? keysOf(rootPems) : googleKeys;
  if (!last || !keys.some((key) => key.equals(spkiOf(last)))) {
    return { fault: 'root_untrusted', detail: last?.x509().subject.replaceAll('\n', ', ') ?? '' };
  }
  const fault = issueFaultOf(last, last);
  return fault ? { fault: 'root_untrusted', detail: fault } : { ok: true };
}

/** Whether the chain ends in a root from the policy that is not Google's. */
export function isOfDevelopment(chain: Chain, rootPems: readonly string[] | undefined): boolean {
  const last = chain.at(-1);
  if (!last || !rootPems || 'fault' in checkRoot(chain, rootPems)) return false;
  return !googleKeys.some((key) => key.equals(spkiOf(last)));
}

/**
 * Checks the validity at `at` of every certificate between leaf and root, factory ones included, as
 * Google's verifier does. The phone's clock sets the leaf's dates; the root counts only as a key.
 */
export function checkDates(chain: Chain, at: Date): RuleAnswer {
  for (const certificate of chain.slice(1, -1)) {
    const fault = dateFaultOf(certificate, at);
    if (fault) return { fault: 'cert_expired', detail: fault };
  }
  return { ok: true };
}

/** Checks that no certificate is on the list, with any status. */
export function checkRevocation(chain: Chain, list: StatusList | undefined): RuleAnswer {
  if (!list) return { skipped: 'revocation_unknown' };
  for (const [index, certificate] of chain.entries()) {
    const found = statusOf(list, certificate);
    if (!found) continue;
    const why = found.reason ? `${found.status}, ${found.reason}` : found.status;
    return { fault: 'key_revoked', detail: `certificate ${index}: ${why}` };
  }
  return { ok: true };
}

/**
 * Returns how the key was provisioned, from Google's certificates. Factory intermediates are named
 * by hardware kind and serial number. Keys that are fetched later are under a `Droid CA` and, since
 * 2024, have ProvisioningInfo.
 */
export function provisioningOf(chain: Chain): Provisioning {
  const intermediate = chain.length > 2 ? chain.at(-2) : undefined;
  const subject = intermediate?.x509().subject ?? '';
  if (/^serialNumber=/m.test(subject) && /^title=(TEE|StrongBox)$/m.test(subject)) return 'factory';
  if (/^O=Google LLC$/m.test(subject) && /^CN=Droid CA\d*$/m.test(subject)) return 'remote';
  const attesting = chain.length > 4 ? chain.at(-4) : undefined;
  return attesting?.extensions.has(provisioningOid) ? 'remote' : null;
}

/** Returns the hardware that the attesting key's certificate names; null if it names none. */
export function certifiedLevelOf(chain: Chain): 'TEE' | 'StrongBox' | null {
  const [, level] = /^(?:title|O)=(TEE|StrongBox)$/m.exec(chain[1]?.x509().subject ?? '') ?? [];
  return level === 'TEE' || level === 'StrongBox' ? level : null;
}

/**
 * Returns the leaf's key as SubjectPublicKeyInfo, also for kinds that node:crypto does not know.
 */
export function leafKeyOf([leaf]: Chain): Uint8Array | null {
  return leaf?.spki ?? null;
}

/** pathLenConstraint: number of certificates that may be between this one and the leaf. */
const isPathTooLong = (certificate: Certificate, between: number): boolean =>
  between > (pathLengthOf(certificate) ?? Infinity);

const keysOf = (pems: readonly string[]): Buffer[] =>
  pems.flatMap((pem) => readPem(pem).map(spkiOf));

const googleKeys = keysOf(googleRootPems);
