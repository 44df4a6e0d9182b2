import { element, integer, octetString, sequence, setOf } from '../der.ts';

/** Content of a key attestation, with KeyMint's numbers. Absent parts are omitted. */
export interface KeyStatement {
  readonly attestationVersion: number;
  /** 0 software, 1 trusted environment, 2 StrongBox. */
  readonly attestationSecurityLevel: number;
  readonly keymintVersion: number;
  readonly keymintSecurityLevel: number;
  readonly challenge: Uint8Array;
  readonly packages: readonly string[];
  /** SHA-256 of the certificates that signed the app. */
  readonly signatureDigests: readonly Uint8Array[];
  readonly createdAt: Date;
  readonly purposes?: readonly number[] | undefined;
  readonly origin?: number | undefined;
  /** `verifiedBootState`: 0 verified, 1 self-signed, 2 unverified, 3 failed. */
  readonly rootOfTrust?: { deviceLocked: boolean; verifiedBootState: number } | undefined;
  readonly osVersion?: number | undefined;
  /** YYYYMM. */
  readonly osPatchLevel?: number | undefined;
  /** Further entries of the hardware-enforced list, each with its tag. */
  readonly hardware?: readonly Uint8Array[] | undefined;
}

/** A P-256 key in KeyMint's numbers: EC, 256 bits, curve P-256. */
const p256 = { algorithm: 3, keySize: 256, ecCurve: 1 } as const;

/**
 * Returns the DER of the KeyDescription. The hardware-enforced list has the key's properties; the
 * software-enforced list has the app and the time.
 */
export function writeKeyDescription(statement: KeyStatement): Buffer {
  const { rootOfTrust, purposes, origin, osVersion, osPatchLevel, hardware = [] } = statement;
  const enforced = [
    ...(purposes ? [entry(1, setOf(...purposes.map(integer)))] : []),
    entry(2, integer(p256.algorithm)),
    entry(3, integer(p256.keySize)),
    entry(10, integer(p256.ecCurve)),
    entry(503, Buffer.from([0x05, 0x00])),
    ...(origin === undefined ? [] : [entry(702, integer(origin))]),
    ...(rootOfTrust ? [entry(704, writeRootOfTrust(rootOfTrust))] : []),
    ...(osVersion === undefined ? [] : [entry(705, integer(osVersion))]),
    ...(osPatchLevel === undefined ? [] : [entry(706, integer(osPatchLevel))]),
    ...hardware,
  ];
  const isSoftware = statement.keymintSecurityLevel === 0;
  const outside = [
    entry(
      701,
      integer(Buffer.from(statement.createdAt.getTime().toString(16).padStart(12, '0'), 'hex')),
    ),
    entry(709, octetString(writeApplicationId(statement))),
  ];
  return sequence(
    integer(statement.attestationVersion),
    enumerated(statement.attestationSecurityLevel),
    integer(statement.keymintVersion),
    enumerated(statement.keymintSecurityLevel),
    octetString(statement.challenge),
    octetString(),
    sequence(...(isSoftware ? [...enforced, ...outside] : outside)),
    sequence(...(isSoftware ? [] : enforced)),
  );
}

/** Returns one entry of an authorization list: an EXPLICIT tag with this number. */
export function entry(number: number, value: Uint8Array): Buffer {
  if (number < 31) return element(0xa0 | number, value);
  const octets = number < 128 ? [number] : [0x80 | (number >> 7), number & 0x7f];
  return element(Buffer.from([0xbf, ...octets]).readUIntBE(0, 1 + octets.length), value);
}

function writeRootOfTrust(root: NonNullable<KeyStatement['rootOfTrust']>): Buffer {
  const noKey = octetString(Buffer.alloc(32));
  const locked = element(0x01, Buffer.of(root.deviceLocked ? 0xff : 0));
  return sequence(noKey, locked, enumerated(root.verifiedBootState), noKey);
}

function writeApplicationId({ packages, signatureDigests }: KeyStatement): Buffer {
  return sequence(
    setOf(...packages.map((name) => sequence(octetString(Buffer.from(name)), integer(1)))),
    setOf(...signatureDigests.map((digest) => octetString(digest))),
  );
}

const enumerated = (value: number): Buffer => element(0x0a, Buffer.of(value));
