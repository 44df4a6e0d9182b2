/** Array-like input types of Node's `Buffer`. */
type Bytes = ArrayLike<number> | Iterable<number>;
type Encoding = 'utf8' | 'latin1' | 'hex' | 'base64' | 'base64url' | 'utf16le';

/**
 * The subset of Node's `Buffer` that the verifier uses, with the same results. Other members throw,
 * see `nameLacks`.
 */
export class Buffer extends Uint8Array<ArrayBuffer> {
  constructor(source: number | ArrayBuffer, offset?: number, length?: number) {
    // The constructor of `Uint8Array` also accepts a length.
    super(source as ArrayBuffer, offset, length);
  }

  /**
   * Creates a buffer from a text in an encoding, or from part of an `ArrayBuffer` (shared), or from
   * bytes (copied).
   */
  static override from(
    source: string | ArrayBuffer | Bytes,
    second?: unknown,
    size?: number,
  ): Buffer;
  static override from<T>(source: ArrayLike<T> | Iterable<T>, map: (value: T) => number): Buffer;
  static override from(
    source: string | ArrayBuffer | Bytes | ArrayLike<unknown> | Iterable<unknown>,
    second?: unknown,
    size?: number,
  ): Buffer {
    if (typeof source === 'string') return decoded(source, encodingOf(second));
    if (isArrayBuffer(source)) return new Buffer(source, Number(second ?? 0), size);
    if (typeof second === 'function') throw lack('Buffer.from with a function');
    const bytes =
      source instanceof Uint8Array ? source : Uint8Array.from(source as Iterable<number>);
    const copy = new Buffer(bytes.length);
    copy.set(bytes);
    return copy;
  }

  static override of(...bytes: number[]): Buffer {
    return Buffer.from(bytes);
  }

  static alloc(size: number, filling: number | string = 0): Buffer {
    return new Buffer(size).fill(filling);
  }

  static concat(parts: readonly Uint8Array[]): Buffer {
    const whole = new Buffer(parts.reduce((sum, { length }) => sum + length, 0));
    let at = 0;
    for (const part of parts) {
      whole.set(part, at);
      at += part.length;
    }
    return whole;
  }

  static compare(one: Uint8Array, other: Uint8Array): number {
    const shorter = Math.min(one.length, other.length);
    for (let at = 0; at < shorter; at += 1) {
      const difference = (one[at] ?? 0) - (other[at] ?? 0);
      if (difference !== 0) return Math.sign(difference);
    }
    return Math.sign(one.length - other.length);
  }

  static byteLength(text: string): number {
    return utf8.encode(text).length;
  }

  static isBuffer(value: unknown): value is Buffer {
    return value instanceof Buffer;
  }

  /** Shares its bytes like `subarray`, as in Node. */
  override slice(start?: number, end?: number): Buffer {
    return this.subarray(start, end);
  }

  override subarray(start?: number, end?: number): Buffer {
    return super.subarray(start, end) as Buffer;
  }

  equals(other: Uint8Array): boolean {
    return Buffer.compare(this, other) === 0;
  }

  override toString(encoding: unknown = 'utf8', start = 0, end = this.length): string {
    return encoded(super.subarray(start, end), encodingOf(encoding));
  }

  override fill(value: number | string, start = 0, end = this.length, encoding?: unknown): this {
    if (typeof value === 'number') return super.fill(value, start, end);
    const pattern = Buffer.from(value, encoding ?? 'utf8');
    if (pattern.length === 0) throw new RangeError('nothing to fill with');
    for (let at = start; at < end; at += 1) {
      this[at] = pattern[(at - start) % pattern.length] ?? 0;
    }
    return this;
  }

  /** Writes as much of a text as fits. Returns the number of bytes written. */
  write(text: string, offset: number, encoding: unknown = 'utf8'): number {
    const bytes = Buffer.from(text, encoding).subarray(0, Math.max(0, this.length - offset));
    this.set(bytes, offset);
    return bytes.length;
  }

  copy(target: Uint8Array, targetStart = 0, start = 0, end = this.length): number {
    const part = super.subarray(start, Math.min(end, start + target.length - targetStart));
    target.set(part, targetStart);
    return part.length;
  }

  override includes(value: number | string | Uint8Array, from = 0, encoding?: unknown): boolean {
    return this.indexOf(value, from, encoding) >= 0;
  }

  override indexOf(value: number | string | Uint8Array, from = 0, encoding?: unknown): number {
    if (typeof value === 'number') return super.indexOf(value & 0xff, from);
    const sought = soughtOf(value, encoding);
    const [first] = sought;
    if (first === undefined) return Math.min(from, this.length);
    for (let at = super.indexOf(first, from); at >= 0; at = super.indexOf(first, at + 1)) {
      if (this.#isAt(sought, at)) return at;
    }
    return -1;
  }

  override lastIndexOf(
    value: number | string | Uint8Array,
    from = this.length,
    encoding?: unknown,
  ): number {
    const sought = soughtOf(typeof value === 'number' ? Buffer.of(value) : value, encoding);
    const last = Math.min(from, this.length - sought.length);
    for (let at = last; at >= 0; at -= 1) if (this.#isAt(sought, at)) return at;
    return -1;
  }

  readUInt16BE(offset = 0): number {
    return this.readUIntBE(offset, 2);
  }

  readUIntBE(offset: number, size: number): number {
    if (size < 1 || size > 6) throw new RangeError('a number of one to six bytes');
    this.#needs(offset, size);
    return super.subarray(offset, offset + size).reduce((sum, byte) => sum * 256 + byte, 0);
  }

  readBigUInt64BE(offset = 0): bigint {
    this.#needs(offset, 8);
    return new DataView(this.buffer, this.byteOffset).getBigUint64(offset);
  }

  writeUInt32BE(value: number, offset = 0): number {
    this.#needs(offset, 4);
    if (!(value >= 0 && value < 2 ** 32)) throw new RangeError('the number does not fit');
    new DataView(this.buffer, this.byteOffset).setUint32(offset, value);
    return offset + 4;
  }

  swap16(): this {
    if (this.length % 2 !== 0) throw new RangeError('an odd number of bytes');
    for (let at = 0; at < this.length; at += 2) {
      [this[at], this[at + 1]] = [this[at + 1] ?? 0, this[at] ?? 0];
    }
    return this;
  }

  #isAt(sought: Uint8Array, at: number): boolean {
    for (let index = 0; index < sought.length; index += 1) {
      if (this[at + index] !== sought[index]) return false;
    }
    return true;
  }

  #needs(offset: number, size: number): void {
    if (!(offset >= 0 && offset + size <= this.length)) throw new RangeError('out of bounds');
  }
}

/** Also true for an `ArrayBuffer` of another realm. */
const isArrayBuffer = (value: object): value is ArrayBuffer =>
  Object.prototype.toString.call(value) === '[object ArrayBuffer]';

const utf8 = new TextEncoder();
const fromUtf8 = new TextDecoder('utf-8', { ignoreBOM: true });
const fromUtf16 = new TextDecoder('utf-16le', { ignoreBOM: true });
/** Maximum number of arguments that every engine accepts in one call. */
const charsAtOnce = 8192;

function encodingOf(name: unknown = 'utf8'): Encoding {
  if (name === 'utf-8') return 'utf8';
  if (name === 'binary') return 'latin1';
  const known: readonly Encoding[] = ['utf8', 'latin1', 'hex', 'base64', 'base64url', 'utf16le'];
  const found = known.find((one) => one === name);
  if (!found) throw lack(`encoding ${typeof name === 'string' ? name : 'of that kind'}`);
  return found;
}

const soughtOf = (value: string | Uint8Array, encoding: unknown): Uint8Array =>
  typeof value === 'string' ? Buffer.from(value, encoding ?? 'utf8') : value;

function decoded(text: string, encoding: Encoding): Buffer {
  if (encoding === 'utf8') return Buffer.from(utf8.encode(text));
  if (encoding === 'hex') return fromHex(text);
  if (encoding === 'base64' || encoding === 'base64url') return fromBase64(text);
  if (encoding !== 'latin1') throw lack(`bytes of a text in ${encoding}`);
  const bytes = new Buffer(text.length);
  for (let at = 0; at < text.length; at += 1) bytes[at] = text.charCodeAt(at);
  return bytes;
}

/** Decodes up to the first invalid pair of digits, as Node does. */
function fromHex(text: string): Buffer {
  const bytes = new Buffer(text.length >> 1);
  for (let at = 0; at < bytes.length; at += 1) {
    const pair = text.slice(at * 2, at * 2 + 2);
    if (!/^[0-9a-f]{2}$/i.test(pair)) return bytes.subarray(0, at);
    bytes[at] = Number.parseInt(pair, 16);
  }
  return bytes;
}

/**
 * Decodes either base64 alphabet up to the first padding, and skips other characters, as Node does.
 */
function fromBase64(text: string): Buffer {
  const [plain = ''] = text.replaceAll('-', '+').replaceAll('_', '/').split('=');
  const digits = plain.replaceAll(/[^A-Za-z0-9+/]/g, '');
  // A single remaining digit encodes no byte.
  const whole = digits.length % 4 === 1 ? digits.slice(0, -1) : digits;
  return decoded(atob(whole), 'latin1');
}

function encoded(bytes: Uint8Array, encoding: Encoding): string {
  if (encoding === 'utf8') return fromUtf8.decode(bytes);
  if (encoding === 'utf16le') return fromUtf16.decode(bytes);
  if (encoding === 'hex') {
    return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  }
  let latin1 = '';
  for (let at = 0; at < bytes.length; at += charsAtOnce) {
    latin1 += String.fromCharCode(...bytes.subarray(at, at + charsAtOnce));
  }
  if (encoding === 'latin1') return latin1;
  const base64 = btoa(latin1);
  if (encoding === 'base64') return base64;
  return base64.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

const missed: string[] = [];

/**
 * Returns the Node features that the verifier requested and this page lacks. A verdict other than
 * `valid` does not count if a feature was missing.
 */
export const lacking = (): readonly string[] => missed;

/** Records a missing feature and returns the error to throw. */
export function lack(what: string): Error {
  missed.push(what);
  return new Error(`this verifier has no ${what}`);
}

/**
 * Defines every member that Node's object has and ours lacks, as a getter that throws and records
 * it. Otherwise the verifier would take `undefined` for an absent value, or an error for an
 * unreadable file.
 */
export function nameLacks(target: object, names: readonly string[]): void {
  for (const name of names) {
    if (name in target) continue;
    Object.defineProperty(target, name, {
      get: () => {
        throw lack(name);
      },
    });
  }
}
