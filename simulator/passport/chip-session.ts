import { childrenOf, readElement, takeIf } from '../../domain/pki/read-der.ts';
import { agreedKeysOf } from '../../domain/proofs/passport/chip/chip-auth.ts';
import {
  counterOf,
  cryptogramOf,
  decrypted,
  macOf,
  pad,
  type SessionKeys,
} from '../../domain/proofs/passport/chip/secure-messaging.ts';
import {
  chipAuthenticationOf,
  type ChipAuthentication,
} from '../../domain/proofs/passport/chip/security-infos.ts';
import { element } from '../der.ts';

/** Status words (ISO/IEC 7816-4 §5.6). */
const words = {
  ok: 0x9000,
  notFound: 0x6a82,
  wrongData: 0x6a80,
  notAllowed: 0x6985,
  wrongMessaging: 0x6988,
  unknown: 0x6d00,
} as const;

interface State {
  keys: SessionKeys | null;
  count: number;
  isAgreeing: boolean;
  file: Uint8Array | null;
}

interface Apdu {
  readonly head: Buffer;
  readonly data: Buffer;
}

type Result = readonly [status: number, data?: Uint8Array];

/**
 * Creates a chip session that agrees on keys with the key of its EF.DG14 (ICAO 9303-11 §6.2). After
 * that it accepts only protected commands. It responds with an error status to another protocol, to
 * steps in the wrong order, and to a badly protected command. After the latter the session is
 * unusable.
 */
export function chipSession(
  files: Readonly<Record<string, Uint8Array>>,
  privateKey: Uint8Array,
): (command: Uint8Array) => Uint8Array {
  const chip = chipAuthenticationOf(files['DG14'] ?? new Uint8Array());
  if (!chip) throw new Error('the chip has no key');
  const state: State = { keys: null, count: 0, isAgreeing: false, file: null };
  const agree = (theirs: Uint8Array): Result => {
    const key = { ...chip.key, bytes: theirs };
    state.keys = agreedKeysOf({ ...chip, key }, privateKey);
    return [words.ok];
  };
  return (command) => {
    const apdu = apduOf(command);
    if (state.keys) return protectedAnswer(state, files, state.keys, apdu);
    const [status, data = new Uint8Array()] = plainAnswer(state, chip, agree, apdu);
    return Buffer.concat([data, wordOf(status)]);
  };
}

/** Answers MSE:Set KAT, or MSE:Set AT followed by GENERAL AUTHENTICATE. */
function plainAnswer(
  state: State,
  { protocol, cipher, keyId }: ChipAuthentication,
  agree: (theirs: Uint8Array) => Result,
  { head, data }: Apdu,
): Result {
  const command = head.toString('hex');
  if (command === '00860000') {
    if (!state.isAgreeing) return [words.notAllowed];
    const [key] = childrenOf(readElement(data, 0x7c).contents);
    if (key?.tag !== 0x80) return [words.wrongData];
    return [agree(key.contents)[0], element(0x7c)];
  }
  if (command !== '002241a4' && command !== '002241a6') return [words.unknown];
  const isTemplate = command === '002241a6';
  const rest = childrenOf(data);
  const first = takeIf(rest, isTemplate ? 0x91 : 0x80)?.contents;
  const reference = takeIf(rest, 0x84)?.contents ?? null;
  const isWhole = rest.length === 0 && first !== undefined;
  if (!isWhole || !isSame(reference, keyId)) return [words.wrongData];
  if (isTemplate) return cipher === '3des' ? agree(first) : [words.wrongData];
  if (!isSame(first, protocol)) return [words.wrongData];
  state.isAgreeing = true;
  return [words.ok];
}

function protectedAnswer(
  state: State,
  files: Readonly<Record<string, Uint8Array>>,
  keys: SessionKeys,
  { head, data }: Apdu,
): Uint8Array {
  const opened = state.count < 0 ? null : openCommand(keys, state.count + 1, head, data);
  if (!opened) {
    state.count = -1;
    return wordOf(words.wrongMessaging);
  }
  state.count += 2;
  const [status, found] = answerOf(state, files, head, opened);
  const counter = counterOf(keys.cipher, state.count);
  const body = Buffer.concat([
    ...(found ? [cryptogramOf(keys, counter, found)] : []),
    element(0x99, wordOf(status)),
  ]);
  return Buffer.concat([body, element(0x8e, macOf(keys, counter, body)), wordOf(status)]);
}

function answerOf(
  state: State,
  files: Readonly<Record<string, Uint8Array>>,
  head: Buffer,
  { data, le }: { readonly data: Uint8Array | null; readonly le: number },
): Result {
  const command = head.toString('hex');
  if (command === '0ca4020c' && data) {
    const [, group] = /^01(0[1-9a-f]|10)$/.exec(Buffer.from(data).toString('hex')) ?? [];
    state.file = files[`DG${Number.parseInt(group ?? '0', 16)}`] ?? null;
    return [state.file ? words.ok : words.notFound];
  }
  if (!command.startsWith('0cb0')) return [words.unknown];
  if (!state.file) return [words.notAllowed];
  const offset = head.readUInt16BE(2);
  return [words.ok, state.file.subarray(offset, offset + le)];
}

/** Returns null for a command that is not protected with these keys and this counter. */
function openCommand(keys: SessionKeys, count: number, head: Buffer, body: Buffer) {
  const counter = counterOf(keys.cipher, count);
  const parts = childrenOf(body);
  const code = parts.pop();
  if (head[0] !== 0x0c || code?.tag !== 0x8e) return null;
  const covered = body.subarray(0, body.length - code.whole.length);
  const mac = macOf(keys, counter, Buffer.concat([pad(keys.cipher, head), covered]));
  if (!mac.equals(code.contents)) return null;
  const cryptogram = takeIf(parts, 0x87);
  const expected = takeIf(parts, 0x97);
  return {
    data: cryptogram && decrypted(keys, counter, cryptogram.contents),
    le: expected?.contents[0] ?? 0,
  };
}

/** Parses a command whose length has one octet or three. */
function apduOf(command: Uint8Array): Apdu {
  const bytes = Buffer.from(command);
  const isLong = bytes[4] === 0 && bytes.length > 5;
  const start = isLong ? 7 : 5;
  const length = isLong ? bytes.readUInt16BE(5) : bytes.readUInt8(4);
  return { head: bytes.subarray(0, 4), data: bytes.subarray(start, start + length) };
}

const isSame = (one: Uint8Array | null, other: Uint8Array | null): boolean =>
  one === null || other === null ? one === other : Buffer.compare(one, other) === 0;

function wordOf(status: number): Buffer {
  const word = Buffer.alloc(2);
  word.writeUInt16BE(status);
  return word;
}
