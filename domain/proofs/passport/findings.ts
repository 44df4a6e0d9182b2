import { Failure } from '../../../workflows/failures.ts';
import { MalformedDer } from '../../pki/read-der.ts';
import type { LegacyPolicy } from '../../pki/x509/algorithms.ts';
import { MalformedMrz, readMrz, type Mrz } from '../mrz/mrz.ts';
import { mrzLinesOf } from './data/lds.ts';
import type { Sod } from './data/sod.ts';
import type { CountryCertificate } from './signer/certificate.ts';
import { linkedStore } from './signer/links.ts';
import {
  createCscaStore,
  joinCscaStores,
  parseMasterList,
  type CscaStore,
} from './signer/master-list.ts';
import {
  createSignatureTries,
  signatureTriesMax,
  type SignatureTries,
} from './signer/signature-tries.ts';

/** Requirements for a passport, and the trust material. All bytes are DER. */
export interface EmrtdPolicy {
  /** A signed CSCA master list, and the national root that must have issued its signer. */
  readonly masterList?: Uint8Array | undefined;
  readonly masterListRoot?: Uint8Array | undefined;
  /** Country signing certificates that are trusted directly. */
  readonly csca?: readonly Uint8Array[] | undefined;
  /** Link certificates, trusted if the certificates above introduce them. */
  readonly cscaLinks?: readonly Uint8Array[] | undefined;
  /** Certificates of a simulator: trusted too, but marked in the facts. */
  readonly cscaDevelopment?: readonly Uint8Array[] | undefined;
  /**
   * Country signing certificates that are already parsed, so that a process parses its list once.
   */
  readonly cscaStore?: CscaStore | undefined;
  readonly crl?: readonly Uint8Array[] | undefined;
  /** With `crl`, the verdict is inconclusive without a current CRL of the signer's issuer. */
  readonly require?: readonly ('active' | 'chip' | 'crl')[] | undefined;
  /** How to treat SHA-1; default: refuse. */
  readonly legacyAlgorithms?: LegacyPolicy | undefined;
  /** Years of age that the holder must have completed. */
  readonly ageOver?: number | undefined;
}

/** The files of a chip by name (`DG1` to `DG16`), and its answers to our challenge. */
export interface EmrtdInput {
  readonly sod: Uint8Array;
  readonly dataGroups: Readonly<Record<string, Uint8Array>>;
  readonly activeAuth?: { readonly nonce: Uint8Array; readonly signature: Uint8Array } | undefined;
  readonly chipAuth?: ChipAnswer | undefined;
}

/** The chip's answers with the agreed keys, and our private key. */
export interface ChipAnswer {
  readonly privateKey: Uint8Array;
  readonly responses: readonly Uint8Array[];
}

/** The results of earlier rules, for later ones. */
export interface Findings {
  readonly policy: EmrtdPolicy;
  readonly input: EmrtdInput;
  readonly at: Date;
  readonly store: CscaStore;
  /** Returns the link certificates from a certificate up to one that is trusted directly. */
  readonly pathOf: (certificate: CountryCertificate) => readonly CountryCertificate[];
  /** Why the trusted certificates are not those of the policy; null if they are. */
  readonly storeFault: string | null;
  readonly mrz: Mrz | null;
  readonly mrzFault: string | null;
  readonly passed: Set<string>;
  /** Remaining verifications of signatures on certificates and lists. */
  readonly tries: SignatureTries;
  sod: Sod | null;
  signingTime: Date | null;
  csca: CountryCertificate | null;
  /** More certificates may have issued the signer than the limit of tries allows. */
  isCscaAmbiguous: boolean;
  unlisted: string[];
  /** Where SHA-1 was accepted, in words. */
  weak: string[];
  activeAuth: 'ok' | 'failed' | 'absent';
  chipAuth: 'ok' | 'failed' | 'absent';
}

/** Returns the findings before the first rule. Never throws. */
export function findingsOf(policy: EmrtdPolicy, input: EmrtdInput, at: Date): Findings {
  return {
    policy,
    input,
    at,
    ...storeOf(policy),
    ...mrzOf(input.dataGroups['DG1']),
    passed: new Set(),
    tries: createSignatureTries(),
    sod: null,
    signingTime: null,
    csca: null,
    isCscaAmbiguous: false,
    unlisted: [],
    weak: [],
    activeAuth: 'absent',
    chipAuth: 'absent',
  };
}

/** Returns the policy for SHA-1. */
export const legacyOf = ({ policy }: Findings): LegacyPolicy => policy.legacyAlgorithms ?? 'refuse';

function storeOf(policy: EmrtdPolicy): Pick<Findings, 'store' | 'pathOf' | 'storeFault'> {
  const { csca = [], cscaDevelopment = [], cscaLinks = [] } = policy;
  const stores = [createCscaStore(csca)];
  if (policy.cscaStore) stores.push(policy.cscaStore);
  let storeFault: string | null = null;
  if (policy.masterList) {
    try {
      stores.push(parseMasterList(policy.masterList, policy.masterListRoot ?? new Uint8Array()));
    } catch (error) {
      storeFault = error instanceof Failure ? error.message : 'the master list cannot be read';
    }
  }
  const trusted = joinCscaStores(stores);
  const linked = linkedStore(trusted, cscaLinks, signatureTriesMax);
  const store = joinCscaStores([...stores, linked, createCscaStore(cscaDevelopment)]);
  const pathOf = (certificate: CountryCertificate): readonly CountryCertificate[] =>
    holds(trusted, certificate) ? [certificate] : linked.pathOf(certificate);
  return { store, pathOf, storeFault };
}

const holds = (store: CscaStore, { subject, subjectKeyId, der }: CountryCertificate): boolean =>
  store
    .issuersOf({ issuer: subject, authorityKeyId: subjectKeyId })
    .some((each) => Buffer.compare(each.der, der) === 0);

function mrzOf(dg1: Uint8Array | undefined): Pick<Findings, 'mrz' | 'mrzFault'> {
  if (!dg1) return { mrz: null, mrzFault: null };
  try {
    return { mrz: readMrz(mrzLinesOf(dg1)), mrzFault: null };
  } catch (error) {
    if (!(error instanceof MalformedDer || error instanceof MalformedMrz)) throw error;
    return { mrz: null, mrzFault: error.message };
  }
}
