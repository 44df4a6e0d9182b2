import { createHash, createPublicKey, verify, type KeyObject } from 'node:crypto';

/** Ed25519 over the text of the note; a witness signs a time as well. */
export const signatureTypes = { note: 1, cosignature: 4 } as const;
type SignatureType = (typeof signatureTypes)[keyof typeof signatureTypes];

/** A key that verifies notes, with its name (C2SP signed-note). */
export interface NoteKey {
  readonly name: string;
  readonly type: SignatureType;
  /** 32 bytes (RFC 8032). */
  readonly publicKey: Buffer;
}

export interface NoteSignature {
  readonly name: string;
  readonly id: Buffer;
  readonly signature: Buffer;
}

export interface Note {
  /** The signed text, with its last newline. */
  readonly text: string;
  readonly signatures: readonly NoteSignature[];
}

/** Name of a key in a signed note: ASCII without space or plus (C2SP signed-note). */
export const originForm = /^[\x21-\x2a\x2c-\x7e]{1,200}$/;

const noteBytesMax = 64 * 1024;
const signaturesMax = 32;
const linePrefix = '— ';

/** Returns the id of a key: the first four bytes of a hash over its name, type and bytes. */
export function keyIdOf({ name, type, publicKey }: NoteKey): Buffer {
  const hash = createHash('sha256').update(`${name}\n`).update(Buffer.of(type)).update(publicKey);
  return hash.digest().subarray(0, 4);
}

/** Returns the short form of a key: its name and its id. */
export function signerOf(key: NoteKey): string {
  return `${key.name}+${keyIdOf(key).toString('hex')}`;
}

/** Returns the form of a key for verifiers: `name+id+key`. */
export function encodeNoteKey(key: NoteKey): string {
  const bytes = Buffer.concat([Buffer.of(key.type), key.publicKey]);
  return `${signerOf(key)}+${bytes.toString('base64')}`;
}

/** Parses a key; null if the text is not a key or its id does not match. */
export function parseNoteKey(text: string): NoteKey | null {
  const [, name = '', id = '', encoded = ''] = /^([^+]+)\+([0-9a-f]{8})\+(.+)$/.exec(text) ?? [];
  const bytes = bytesOf(encoded);
  const type = Object.values(signatureTypes).find((known) => known === bytes?.[0]);
  if (!originForm.test(name) || !bytes || !type || bytes.length !== 33) return null;
  const key = { name, type, publicKey: bytes.subarray(1) };
  return keyIdOf(key).toString('hex') === id ? key : null;
}

export function signatureLine(key: NoteKey, signature: Uint8Array): string {
  const bytes = Buffer.concat([keyIdOf(key), signature]);
  return `${linePrefix}${key.name} ${bytes.toString('base64')}\n`;
}

/** Splits a note into its parts without verifying them; null if it is not a note. */
export function parseNote(text: string): Note | null {
  if (Buffer.byteLength(text) > noteBytesMax || hasControls(text) || !text.endsWith('\n')) {
    return null;
  }
  const end = text.lastIndexOf('\n\n');
  if (end < 0) return null;
  const lines = text.slice(end + 2, -1).split('\n');
  if (lines.length > signaturesMax) return null;
  const signatures = lines.map(signatureOf);
  const good = signatures.filter((each) => each !== null);
  return good.length === lines.length ? { text: text.slice(0, end + 1), signatures: good } : null;
}

// Signed notes have no control characters except newlines, and are well-formed UTF-8.
function hasControls(text: string): boolean {
  return !text.isWellFormed() || [...text].some((char) => char < ' ' && char !== '\n');
}

function signatureOf(line: string): NoteSignature | null {
  const [, name, encoded = ''] = /^— ([^\s+]{1,200}) ([A-Za-z0-9+/=]+)$/.exec(line) ?? [];
  const bytes = bytesOf(encoded);
  if (name === undefined || !bytes || bytes.length < 5) return null;
  return { name, id: bytes.subarray(0, 4), signature: bytes.subarray(4) };
}

/** Returns the bytes of a text in canonical base64; null for any other text. */
export function bytesOf(text: string): Buffer | null {
  const bytes = Buffer.from(text, 'base64');
  return bytes.toString('base64') === text ? bytes : null;
}

export type Signed = 'ok' | 'absent' | 'bad';

/** Whether a note has a valid signature of a key. */
export function signedBy(note: Note, key: NoteKey): Signed {
  const id = keyIdOf(key);
  const own = note.signatures.filter((each) => each.name === key.name && each.id.equals(id));
  if (own.length === 0) return 'absent';
  const publicKey = publicKeyOf(key.publicKey);
  const isGood = publicKey && own.every((each) => isSignature(note.text, key, publicKey, each));
  return isGood ? 'ok' : 'bad';
}

function isSignature(
  text: string,
  { type }: NoteKey,
  publicKey: KeyObject,
  { signature }: NoteSignature,
): boolean {
  if (type === signatureTypes.note) {
    return signature.length === 64 && verify(null, Buffer.from(text), publicKey, signature);
  }
  // C2SP tlog-cosignature: eight bytes of time, then the signature over it and the text.
  if (signature.length !== 72) return false;
  const signed = `cosignature/v1\ntime ${signature.readBigUInt64BE(0)}\n${text}`;
  return verify(null, Buffer.from(signed), publicKey, signature.subarray(8));
}

function publicKeyOf(bytes: Buffer): KeyObject | null {
  try {
    const jwk = { kty: 'OKP', crv: 'Ed25519', x: bytes.toString('base64url') };
    return createPublicKey({ key: jwk, format: 'jwk' });
  } catch {
    return null;
  }
}
