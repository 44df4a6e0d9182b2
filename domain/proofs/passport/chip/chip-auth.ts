import { createHash, hkdfSync } from 'node:crypto';
import { encoded, MalformedDer } from '../../../pki/read-der.ts';
import { seedBytes } from './key-agreement.ts';
import {
  counterOf,
  openResponse,
  protectCommand,
  sessionKeysOf,
  type Command,
  type SessionKeys,
} from './secure-messaging.ts';
import type { ChipAuthentication } from './security-infos.ts';

/** APDUs that a phone relays to a chip (ISO/IEC 7816-4). */
export interface ChipCommands {
  /** Sent like every other command of the session; after them the chip uses the new keys. */
  readonly agreement: readonly Buffer[];
  /** Sent unchanged; their responses prove the chip. */
  readonly reading: readonly Buffer[];
}

/** A challenge that one chip answers once. */
export interface ChipChallenge {
  readonly linkSessionId: string;
  readonly challengeId: string;
}

const ok = 0x9000;
const readBytes = 32;

/** SELECT EF.DG1, then its first octets: every chip has it, and every passport submits it. */
const commands: readonly Command[] = [
  { ins: 0xa4, p1: 0x02, p2: 0x0c, data: Buffer.of(0x01, 0x01) },
  { ins: 0xb0, p1: 0x00, p2: 0x00, le: readBytes },
];
export const responsesMax = commands.length;

/**
 * Derives the ephemeral private key of a challenge, so that it is not stored before the evidence of
 * the passport contains it. The key depends on EF.DG14. So a forged file with a group in which
 * logarithms are easy reveals nothing about the key for another file.
 */
export function ephemeralKeyOf(
  secret: Uint8Array,
  { linkSessionId, challengeId }: ChipChallenge,
  dg14: Uint8Array,
  { key }: ChipAuthentication,
): Buffer {
  const file = createHash('sha256').update(dg14).digest();
  const purpose = `chip-auth|${linkSessionId}|${challengeId}`;
  const seed = Buffer.from(hkdfSync('sha256', secret, file, purpose, seedBytes));
  return key.group.privateKeyOf(seed);
}

/** Returns the commands with which a chip agrees on keys and then uses them. */
export function chipCommandsOf(chip: ChipAuthentication, privateKey: Uint8Array): ChipCommands {
  const keys = agreedKeysOf(chip, privateKey);
  return {
    agreement: agreementOf(chip, chip.key.group.publicKeyOf(privateKey)),
    reading: commands.map((command, index) =>
      protectCommand(keys, counterOf(keys.cipher, 2 * index + 1), command),
    ),
  };
}

/**
 * Verifies a chip's answers (ICAO 9303-11 §6.2). Each response must be valid under the keys that
 * only the chip and the holder of our ephemeral key can compute, and the octets read must be those
 * of `dg1`.
 * @throws errors of node:crypto, or `MalformedDer`, for malformed keys or responses
 */
export function isAnsweredBy(
  chip: ChipAuthentication,
  privateKey: Uint8Array,
  responses: readonly Uint8Array[],
  dg1: Uint8Array,
): boolean {
  const keys = agreedKeysOf(chip, privateKey);
  const opened = responses.map((response, index) =>
    openResponse(keys, counterOf(keys.cipher, 2 * index + 2), response),
  );
  const [selected, read] = opened;
  if (opened.length !== commands.length) throw new MalformedDer('not all were answered');
  if (selected?.status !== ok || read?.status !== ok) return false;
  const { data } = read;
  return data.length === readBytes && data.equals(dg1.subarray(0, data.length));
}

/** Returns the session keys of both sides. */
export function agreedKeysOf({ key, cipher }: ChipAuthentication, ours: Uint8Array): SessionKeys {
  return sessionKeysOf(key.group.secretOf(ours, key.bytes), cipher);
}

/** ICAO 9303-11 §6.2.4: MSE:Set KAT for 3DES; MSE:Set AT and GENERAL AUTHENTICATE for AES. */
function agreementOf({ cipher, protocol, keyId }: ChipAuthentication, ephemeral: Buffer): Buffer[] {
  const reference = keyId ? [encoded(0x84, keyId)] : [];
  if (cipher === '3des' || !protocol) {
    return [apdu(0x22, 0x41, 0xa6, Buffer.concat([encoded(0x91, ephemeral), ...reference]))];
  }
  const general = encoded(0x7c, encoded(0x80, ephemeral));
  return [
    apdu(0x22, 0x41, 0xa4, Buffer.concat([encoded(0x80, protocol), ...reference])),
    apdu(0x86, 0x00, 0x00, general, true),
  ];
}

/** Writes an APDU; its lengths take three octets if one is not enough. */
function apdu(ins: number, p1: number, p2: number, data: Buffer, isAnswered = false): Buffer {
  const { length } = data;
  const isShort = length <= 0xff;
  const before = isShort ? Buffer.of(length) : Buffer.of(0, length >> 8, length & 0xff);
  const after = isAnswered ? Buffer.alloc(isShort ? 1 : 2) : Buffer.alloc(0);
  return Buffer.concat([Buffer.of(0x00, ins, p1, p2), before, data, after]);
}
