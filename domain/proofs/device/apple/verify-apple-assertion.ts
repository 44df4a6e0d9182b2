import { verify } from 'node:crypto';
import { judge, type Rule, type RuleAnswer, type Verdict } from '../../verdict.ts';
import { bytesAt, readCborMap } from '../cbor.ts';
import { p256KeyOf } from '../p256-key.ts';
import {
  appIdOf,
  clientDataHashOf,
  judgeBundleVersion,
  judgeCategory,
  type AppleApp,
  type CategoryPolicy,
  type ClientData,
} from './apple-app.ts';
import { isOfApp, readAssertedData, sha256, type AuthenticatorData } from './authenticator-data.ts';

export interface AppleAssertionPolicy extends AppleApp, CategoryPolicy {
  /** The highest counter seen from this key. */
  readonly counterLast: number;
}

export interface AppleAssertionInput extends ClientData {
  readonly assertion: Uint8Array;
  /** The attested key, SubjectPublicKeyInfo in DER. */
  readonly publicKeySpki: Uint8Array;
}

interface Parsed {
  readonly data: AuthenticatorData;
  readonly signature: Uint8Array;
}

interface Findings {
  readonly policy: AppleAssertionPolicy;
  readonly input: AppleAssertionInput;
  readonly parsed: Parsed | null;
}

const assertionBytesMax = 4096;

/**
 * Judges an App Attest assertion (Apple, "Validating apps that connect to your server", assertion
 * steps 1 to 6). Never throws. The caller stores the counter by compare-and-set, and checks the
 * challenge in the client data.
 */
export function verifyAppleAssertion(
  policy: AppleAssertionPolicy,
  input: AppleAssertionInput,
  _at: Date,
): Verdict {
  const findings = { policy, input, parsed: parsed(input.assertion) };
  const applicable = rules.filter(({ name }) => name !== 'bundle_version' || policy.bundleVersions);
  return judge('apple-assertion', applicable, findings, ({ parsed }) =>
    parsed ? { counter: parsed.data.counter } : {},
  );
}

const rules: readonly Rule<Findings>[] = [
  { name: 'parse', judge: ({ parsed }) => (parsed ? { ok: true } : { fault: 'malformed' }) },
  { name: 'app_id', judge: onParsed(judgeAppId) },
  { name: 'signature', judge: onParsed(judgeSignature) },
  { name: 'counter', judge: onParsed(judgeCounter) },
  {
    name: 'category',
    judge: onParsed(({ data }, { policy }) => judgeCategory(data.extensions, policy)),
  },
  {
    name: 'bundle_version',
    judge: onParsed(({ data }, { policy }) => judgeBundleVersion(data.extensions, policy)),
  },
];

function judgeAppId({ data }: Parsed, { policy }: Findings): RuleAnswer {
  return isOfApp(data, appIdOf(policy)) ? { ok: true } : { fault: 'app_id_mismatch' };
}

/** The nonce is a hash, and ECDSA hashes it once more: the signature is over SHA-256(nonce). */
function judgeSignature({ data, signature }: Parsed, { input }: Findings): RuleAnswer {
  const clientDataHash = clientDataHashOf(input);
  const key = p256KeyOf(input.publicKeySpki);
  if (!clientDataHash) return { fault: 'malformed', detail: 'client data hash' };
  if (!key) return { fault: 'malformed', detail: 'the public key is not on P-256' };
  const nonce = sha256(data.bytes, clientDataHash);
  return verify('sha256', nonce, key, signature) ? { ok: true } : { fault: 'signature_invalid' };
}

function judgeCounter({ data }: Parsed, { policy }: Findings): RuleAnswer {
  return data.counter > policy.counterLast
    ? { ok: true }
    : { fault: 'counter_replay', detail: `${data.counter} after ${policy.counterLast}` };
}

function onParsed(rule: (parsed: Parsed, findings: Findings) => RuleAnswer) {
  return (findings: Findings): RuleAnswer =>
    findings.parsed ? rule(findings.parsed, findings) : { skipped: 'not parsed' };
}

function parsed(assertion: Uint8Array): Parsed | null {
  if (assertion.length > assertionBytesMax) return null;
  try {
    const map = readCborMap(assertion);
    const data = readAssertedData(bytesAt(map, 'authenticatorData'));
    return { data, signature: bytesAt(map, 'signature') };
  } catch {
    return null;
  }
}
