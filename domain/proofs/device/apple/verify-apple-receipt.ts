import {
  readCertificate,
  readPem,
  spkiOf,
  type Certificate,
} from '../../../pki/x509/certificate.ts';
import { judge, type Rule, type RuleAnswer, type Verdict } from '../../verdict.ts';
import { appIdOf, type AppleApp } from './apple-app.ts';
import { appleRootG3Pem } from './apple-roots.ts';
import {
  isSigned,
  readReceipt,
  receiptChainFaultOf,
  receiptDateFaultOf,
  receiptFacts,
  type Receipt,
} from './receipt.ts';

export interface AppleReceiptPolicy extends AppleApp {
  /** The attested key, SubjectPublicKeyInfo in DER. */
  readonly publicKeySpki?: Uint8Array | undefined;
  /** Limit for keys attested on the phone in a month; more are a risk. No limit if absent. */
  readonly riskMetricMax?: number | undefined;
  /** Roots trusted in addition to Apple's, PEM; for development. */
  readonly rootPem?: string | undefined;
}

export interface AppleReceiptInput {
  readonly receipt: Uint8Array;
}

interface Findings {
  readonly policy: AppleReceiptPolicy;
  readonly at: Date;
  readonly receipt: Receipt | null;
}

/**
 * Judges an App Attest receipt alone, from an attestation or from Apple's server (Apple, "Assessing
 * fraud risk", verify the receipt). Never throws.
 */
export function verifyAppleReceipt(
  policy: AppleReceiptPolicy,
  input: AppleReceiptInput,
  at: Date,
): Verdict {
  const findings = { policy, at, receipt: receiptOrNull(input.receipt) };
  const applicable = policy.riskMetricMax === undefined ? rules : [...rules, riskRule];
  return judge('apple-receipt', applicable, findings, ({ receipt }) =>
    receipt ? receiptFacts(receipt) : {},
  );
}

/** Reads a receipt; null for any other bytes. */
export function receiptOrNull(bytes: Uint8Array): Receipt | null {
  try {
    return readReceipt(bytes);
  } catch {
    return null;
  }
}

/**
 * Returns Apple's root for receipts, and those of a policy.
 * @throws `MalformedDer` for invalid PEM
 */
export const receiptAnchors = (rootPem: string | undefined): readonly Certificate[] =>
  rootPem === undefined ? appleRoots : [...appleRoots, ...readPem(rootPem)];

const appleRoots = readPem(appleRootG3Pem);

const rules: readonly Rule<Findings>[] = [
  { name: 'parse', judge: ({ receipt }) => (receipt ? { ok: true } : { fault: 'malformed' }) },
  { name: 'signature', judge: onReceipt(judgeSignature) },
  { name: 'chain', judge: onReceipt(judgeChain) },
  { name: 'app_id', judge: onReceipt(judgeAppId) },
  { name: 'public_key', judge: onReceipt(judgePublicKey) },
];

/** Runs only if the policy has a limit. A risk is inconclusive, so that a reviewer decides. */
const riskRule: Rule<Findings> = {
  name: 'risk',
  judge: onReceipt(({ riskMetric }, { policy: { riskMetricMax = Infinity } }) => {
    if (riskMetric === null) return { skipped: 'no risk metric' };
    const detail = `${riskMetric} keys`;
    return riskMetric > riskMetricMax ? { unknown: 'device_risk', detail } : { ok: true, detail };
  }),
};

function judgeSignature(receipt: Receipt): RuleAnswer {
  return isSigned(receipt) ? { ok: true } : { fault: 'signature_invalid' };
}

function judgeChain(receipt: Receipt, { policy, at }: Findings): RuleAnswer {
  const fault = receiptChainFaultOf(receipt, receiptAnchors(policy.rootPem));
  if (fault) return { fault: 'chain_untrusted', detail: fault };
  const dates = receiptDateFaultOf(receipt, at);
  return dates ? { fault: 'receipt_expired', detail: dates } : { ok: true };
}

function judgeAppId(receipt: Receipt, { policy }: Findings): RuleAnswer {
  return receipt.appId === appIdOf(policy) ? { ok: true } : { fault: 'app_id_mismatch' };
}

function judgePublicKey({ attested }: Receipt, { policy }: Findings): RuleAnswer {
  if (!policy.publicKeySpki) return { skipped: 'no key to compare with' };
  return spkiOf(readCertificate(attested)).equals(policy.publicKeySpki)
    ? { ok: true }
    : { fault: 'public_key_mismatch' };
}

function onReceipt(rule: (receipt: Receipt, findings: Findings) => RuleAnswer) {
  return (findings: Findings): RuleAnswer =>
    findings.receipt ? rule(findings.receipt, findings) : { skipped: 'not parsed' };
}
