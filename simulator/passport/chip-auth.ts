import { getDiffieHellman, randomBytes } from 'node:crypto';
import {
  curve,
  modularGroup,
  seedBytes,
  type Group,
} from '../../domain/proofs/passport/chip/key-agreement.ts';
import type { Cipher } from '../../domain/proofs/passport/chip/secure-messaging.ts';
import { bitString, integer, oid, sequence } from '../der.ts';

/** Chip authentication of a synthetic chip (ICAO 9303-11 §6.2). */
export interface DevChipAuth {
  readonly group: keyof typeof groups;
  readonly cipher: Cipher;
  readonly keyId?: number | undefined;
  /** False for older files without a protocol: they have only a key. */
  readonly isNamed?: boolean;
}

interface DevGroup {
  readonly group: () => Group;
  /** AlgorithmIdentifier of its public keys, and a public key as its bit string contains it. */
  readonly algorithm: () => Buffer;
  readonly keyOf: (publicKey: Uint8Array) => Uint8Array;
  readonly arc: 1 | 2;
}

const groups = {
  prime256v1: onCurve('prime256v1', '1.2.840.10045.3.1.7'),
  brainpoolP256r1: onCurve('brainpoolP256r1', '1.3.36.3.3.2.8.1.1.7'),
  secp521r1: onCurve('secp521r1', '1.3.132.0.35'),
  'dh-2048': modular('1.2.840.10046.2.1'),
  'dh-2048-pkcs3': modular('1.2.840.113549.1.3.1'),
} as const satisfies Readonly<Record<string, DevGroup>>;

const ciphers: readonly Cipher[] = ['3des', 'aes-128', 'aes-192', 'aes-256'];
const eac = '0.4.0.127.0.7.2.2';

/** Generates a private key of the chip. */
export const newAgreementKey = ({ group }: DevChipAuth): Uint8Array =>
  groups[group].group().privateKeyOf(randomBytes(seedBytes));

/** Generates a key and its SecurityInfos for EF.DG14. */
export function mintChipAuth(wanted: DevChipAuth): { infos: Buffer[]; privateKey: Uint8Array } {
  const { group, algorithm, keyOf, arc } = groups[wanted.group];
  const privateKey = newAgreementKey(wanted);
  const key = bitString(keyOf(group().publicKeyOf(privateKey)));
  const id = wanted.keyId === undefined ? [] : [integer(wanted.keyId)];
  const keyInfo = sequence(oid(`${eac}.1.${arc}`), sequence(algorithm(), key), ...id);
  if (wanted.isNamed === false) return { infos: [keyInfo], privateKey };
  const protocol = oid(`${eac}.3.${arc}.${ciphers.indexOf(wanted.cipher) + 1}`);
  return { infos: [keyInfo, sequence(protocol, integer(1), ...id)], privateKey };
}

function onCurve(name: string, dotted: string): DevGroup {
  return {
    group: () => curve(name),
    algorithm: () => sequence(oid('1.2.840.10045.2.1'), oid(dotted)),
    keyOf: (point) => point,
    arc: 2,
  };
}

/** RFC 3526 §3, with either form of its algorithm identifier. */
function modular(dotted: string): DevGroup {
  const prime = () => getDiffieHellman('modp14').getPrime();
  return {
    group() {
      const group = modularGroup(prime(), Buffer.of(2));
      if (!group) throw new Error('the group is not taken');
      return group;
    },
    algorithm: () => sequence(oid(dotted), sequence(integer(prime()), integer(2))),
    keyOf: (number) => integer(number),
    arc: 1,
  };
}
