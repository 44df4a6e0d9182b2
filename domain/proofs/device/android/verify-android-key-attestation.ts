import { MalformedDer } from '../../../pki/read-der.ts';
import { judge, type Rule, type RuleAnswer, type Verdict } from '../../verdict.ts';
import {
  checkChain,
  checkDates,
  checkExtensionPosition,
  checkRevocation,
  checkRoot,
  describedIndexOf,
  isOfDevelopment,
  leafKeyOf,
  provisioningOf,
  readChain,
  type Chain,
} from './chain.ts';
import { keyDescriptionOid, readKeyDescription, type KeyDescription } from './key-description.ts';
import {
  base64Of,
  checkApplicationId,
  checkChallenge,
  checkOrigin,
  checkPatchLevel,
  checkPurposes,
  checkRootOfTrust,
  checkSecurityLevel,
  describe,
  type KeyPolicy,
} from './rules.ts';
import type { StatusList } from './status-list.ts';

/** Requirements for a phone's key. */
export interface AndroidPolicy extends KeyPolicy {
  /** Without a list, `revocation` is skipped with `revocation_unknown`. */
  readonly revocation?: StatusList | undefined;
  /** Roots trusted instead of Google's, PEM; for development. */
  readonly rootPems?: readonly string[] | undefined;
}

export interface AndroidKeyAttestationInput {
  /** DER certificates, leaf first, root included. */
  readonly chain: readonly Uint8Array[];
  readonly challenge: Uint8Array;
}

/**
 * Judges an Android Key Attestation (developer.android.com, "Verify hardware-backed key pairs with
 * key attestation") at `at`. By default it requires at least `TRUSTED_ENVIRONMENT`, a locked boot
 * loader and a verified system.
 *
 * Choices that the documentation leaves open:
 * - At most ten certificates of 16 KiB each.
 * - Every key on the revocation list is refused, suspended ones too.
 * - All certificates between leaf and root must be valid, factory ones included.
 * - One of the packages and one of the signing certificates must be ours: apps that share a user
 *   id have the same signer.
 * - Only the hardware's list counts, except for the application id, which the system adds.
 *
 * Never throws. The caller checks that the challenge is its own and unused, and that the key is
 * new.
 */
export function verifyAndroidKeyAttestation(
  policy: AndroidPolicy,
  input: AndroidKeyAttestationInput,
  at: Date,
): Verdict {
  return judge('android-key-attestation', rules, findingsOf(policy, input, at), factsOf);
}

interface Findings {
  readonly policy: AndroidPolicy;
  readonly input: AndroidKeyAttestationInput;
  readonly at: Date;
  readonly chain: Chain | null;
  readonly key: KeyDescription | null;
  readonly fault: string | null;
}

const rules: readonly Rule<Findings>[] = [
  { name: 'parse', judge: ({ fault }) => (fault ? malformed(fault) : { ok: true }) },
  ofChain('chain', checkChain),
  ofChain('extension_position', checkExtensionPosition),
  ofChain('root', (chain, { policy }) => checkRoot(chain, policy.rootPems)),
  ofChain('dates', (chain, { at }) => checkDates(chain, at)),
  ofChain('revocation', (chain, { policy }) => checkRevocation(chain, policy.revocation)),
  ofKey('challenge', (key, { input }) => checkChallenge(key, input.challenge)),
  ofKey('security_level', (key, { policy, chain }) => checkSecurityLevel(key, policy, chain ?? [])),
  ofKey('origin', (key, { chain }) => checkOrigin(key, chain?.[0])),
  ofKey('root_of_trust', (key, { policy }) => checkRootOfTrust(key, policy)),
  ofKey('application_id', (key, { policy }) => checkApplicationId(key, policy)),
  ofKey('patch_level', (key, { policy }) => checkPatchLevel(key, policy)),
  ofKey('purposes', checkPurposes),
];

function findingsOf(policy: AndroidPolicy, input: AndroidKeyAttestationInput, at: Date): Findings {
  const known = { policy, input, at };
  const chain = attempt(() => readChain(input.chain));
  if ('fault' in chain) return { ...known, chain: null, key: null, fault: chain.fault };
  const described = chain.value[describedIndexOf(chain.value)];
  const extension = described?.extensions.get(keyDescriptionOid);
  if (!extension) return { ...known, chain: chain.value, key: null, fault: null };
  const key = attempt(() => readKeyDescription(extension.value));
  return 'fault' in key
    ? { ...known, chain: chain.value, key: null, fault: `key description: ${key.fault}` }
    : { ...known, chain: chain.value, key: key.value, fault: null };
}

function factsOf({ chain, key, policy }: Findings): Record<string, unknown> {
  const spki = chain && leafKeyOf(chain);
  const development = attempt(() => chain && isOfDevelopment(chain, policy.rootPems));
  return {
    ...describe(key),
    provisioning: chain && provisioningOf(chain),
    public_key_spki: spki && base64Of(spki),
    ...('value' in development && development.value ? { development_root: true } : {}),
  };
}

function ofChain(
  name: string,
  check: (chain: Chain, findings: Findings) => RuleAnswer,
): Rule<Findings> {
  return {
    name,
    judge: (findings) =>
      findings.chain ? check(findings.chain, findings) : { skipped: 'no chain' },
  };
}

function ofKey(
  name: string,
  check: (key: KeyDescription, findings: Findings) => RuleAnswer,
): Rule<Findings> {
  return {
    name,
    judge: (findings) =>
      findings.key ? check(findings.key, findings) : { skipped: 'no key description' },
  };
}

const malformed = (detail: string): RuleAnswer => ({ fault: 'malformed', detail });

type Attempt<T> = { readonly value: T } | { readonly fault: string };

/** Hostile bytes can make the readers throw anything; the detail contains only our own texts. */
function attempt<T>(read: () => T): Attempt<T> {
  try {
    return { value: read() };
  } catch (error) {
    return { fault: error instanceof MalformedDer ? error.message : 'it cannot be read' };
  }
}
