import { X509Certificate } from 'node:crypto';
import { verifyAndroidKeyAttestation } from '../../../domain/proofs/device/android/verify-android-key-attestation.ts';
import { bytes, vectorOf } from '../../support/fixtures/devices/android-fixtures.ts';
import { pairsOf, swapped, type Family, type Genuine, type Parts, type Swap } from './genuine.ts';

/** Chains that lead to Google, each with a time at which it was valid. */
const chains: [string, string][] = [
  ['Pixel 6', '2023-04-14T14:30:22Z'],
  ['Nokia X10', '2023-04-14T13:14:42Z'],
  ['tegu/sdk36/TEE_EC_2026_ROOT', '2026-03-01T00:00:00Z'],
  ['akita/sdk34/SB_RSA_NONE', '2024-09-27T00:00:00Z'],
  ['akita/sdk34/TEE_RSA_NONE', '2024-09-27T00:00:00Z'],
  ['blueline/sdk28/SB_RSA_NONE', '2026-11-21T00:00:00Z'],
  ['blueline/sdk28/TEE_EC_NONE', '2026-11-21T00:00:00Z'],
  ['blueline/sdk28/TEE_RSA_NONE', '2026-11-21T00:00:00Z'],
  ['tegu/sdk37/TEE_MAX_USAGE_COUNT', '2026-07-07T00:00:00Z'],
];
/** The challenge of the one vector that has none in its source. */
const unsaid = 'NjQxN2Y5MmMtZGFlZi00Y2MxLTg4MjgtNWJiMzkzMzhmZmQ1';
const none = new Uint8Array();

/** Key attestations of real phones. */
export function androidForgeries(): Family {
  const genuine = chains.map(([name, at]) => chainOf(name, new Date(at)));
  return { genuine, swaps: pairsOf(genuine).flatMap(([of, other]) => mixed(of, other)) };
}

function chainOf(name: string, at: Date): Genuine {
  const { chain, challenge, expected } = vectorOf(name);
  const said = challenge ?? expected?.['attestationChallenge'];
  const certificates = chain.map((der, index) => [`certificate ${index}`, bytes(der)] as const);
  return {
    name,
    parts: {
      ...Object.fromEntries(certificates),
      challenge: bytes(typeof said === 'string' ? said : unsaid),
    },
    at,
    validities: certificates.map(([certificate, der], index) => {
      const { validFromDate: from, validToDate: to } = new X509Certificate(der);
      // The clock of the phone dates the leaf, and the root counts as a bare key.
      const isBetween = index > 0 && index < certificates.length - 1;
      return { name: certificate, from, to, ends: isBetween ? 'both' : 'none' };
    }),
    holds({ challenge: asked = none, ...rest }, when) {
      const input = { chain: Object.values(rest), challenge: asked };
      return (
        verifyAndroidKeyAttestation({ requireLocked: false }, input, when).verdict !== 'failed'
      );
    },
  };
}

/** Joins the head of one chain with the tail of another at every joint, and swaps the challenge. */
function mixed(of: Genuine, other: Genuine): Swap[] {
  const [own, foreign] = [of, other].map(({ parts }) =>
    Object.keys(parts).flatMap((part) => (part === 'challenge' ? [] : (parts[part] ?? []))),
  );
  if (!own || !foreign) return [];
  const { challenge = none } = of.parts;
  const swaps: Swap[] = own.slice(1).flatMap((_, joint) => {
    const tail = foreign.slice(foreign.length - own.length + joint + 1);
    // A joint between two certificates of the same key is genuine.
    if (tail.length === 0 || isSameKey(own[joint + 1], tail[0])) return [];
    const chain = [...own.slice(0, joint + 1), ...tail];
    const parts: Parts = { ...Object.fromEntries(chain.entries()), challenge };
    return [{ name: `${of.name} on ${tail.length} certificates of ${other.name}`, of, parts }];
  });
  return [...swaps, ...[swapped(of, other, 'challenge') ?? []].flat()];
}

const spkiOf = (der: Uint8Array | undefined): Buffer =>
  new X509Certificate(der ?? none).publicKey.export({ format: 'der', type: 'spki' });
const isSameKey = (one: Uint8Array | undefined, other: Uint8Array | undefined): boolean =>
  spkiOf(one).equals(spkiOf(other));
