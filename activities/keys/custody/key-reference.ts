import { CustodyError } from './custody-error.ts';

/** A key in AWS KMS: `awskms:///` and the ARN of the key. */
export interface KmsReference {
  readonly driver: 'aws-kms';
  readonly arn: string;
  readonly region: string;
}

/** A key in a PKCS#11 token, as a URI of RFC 7512. */
export interface TokenReference {
  readonly driver: 'pkcs11';
  /** Labels, decoded. */
  readonly token: string;
  readonly object?: string;
  /** CKA_ID. */
  readonly id?: Buffer;
}

export type KeyReference = KmsReference | TokenReference;

const lengthMax = 1_000;
/** A token's label has 32 bytes, padded (PKCS#11 2.40 §3.1). We limit an object's label to 128. */
const bytesMax = { token: 32, object: 128, id: 128 } as const;
const arnForm =
  /^arn:aws(?:-[a-z]+)*:kms:([a-z]{2}(?:-[a-z]+){1,3}-\d{1,2}):\d{12}:key\/[A-Za-z0-9-]{1,64}$/;

/** Reports whether a key file holds a reference to a key instead of the key. */
export const isReference = (content: string): boolean => /^\s*(?:awskms|pkcs11):/.test(content);

/**
 * Parses a reference to a key: `awskms:///arn:aws:kms:…:key/…` or
 * `pkcs11:token=…;object=…;type=private` (RFC 7512 §2.3).
 * @throws CustodyError `unset`, without the text itself: it may contain a PIN
 */
export function readReference(content: string): KeyReference {
  const text = content.trim();
  if (text.length > lengthMax || /\s/.test(text)) throw wrong('more than one line of a reference');
  if (text.startsWith('awskms:')) return kmsReference(text);
  if (text.startsWith('pkcs11:')) return tokenReference(text.slice('pkcs11:'.length));
  throw wrong('begins with neither awskms: nor pkcs11:');
}

/** Returns the reference as the line of a key file. */
export function textOf(reference: KeyReference): string {
  if (reference.driver === 'aws-kms') return `awskms:///${reference.arn}`;
  const { token, object, id } = reference;
  const parts = [`token=${encodeURIComponent(token)}`];
  if (object !== undefined) parts.push(`object=${encodeURIComponent(object)}`);
  if (id) parts.push(`id=${id.toString('hex').replaceAll(/../g, '%$&')}`);
  return `pkcs11:${[...parts, 'type=private'].join(';')}`;
}

const wrong = (why: string): CustodyError =>
  new CustodyError('unset', `the reference to its key ${why}`);

/** Accepts the ARN of a key only: an alias can be moved to another key unnoticed. */
function kmsReference(text: string): KmsReference {
  const arn = text.slice('awskms:///'.length);
  const [, region] = arnForm.exec(arn) ?? [];
  if (!text.startsWith('awskms:///') || region === undefined) {
    throw wrong('is not awskms:///arn:aws:kms:REGION:ACCOUNT:key/ID; an alias is not taken');
  }
  return { driver: 'aws-kms', arn, region };
}

function tokenReference(text: string): TokenReference {
  if (text.includes('?')) {
    throw wrong('has a query: KEYS_PKCS11_MODULE and KEYS_PKCS11_PIN say what stands there');
  }
  const found = new Map<string, Buffer>();
  for (const part of text.split(';')) {
    const [name = '', value, ...more] = part.split('=');
    if (!['token', 'object', 'id', 'type'].includes(name)) {
      throw wrong('may name token, object, id and type=private, and nothing else');
    }
    if (value === undefined || more.length > 0 || found.has(name)) {
      throw wrong(`does not name ${name} once`);
    }
    found.set(name, decoded(name, value));
  }
  if ((found.get('type') ?? 'private').toString() !== 'private') {
    throw wrong('is not to a private key');
  }
  const [token, object, id] = [found.get('token'), found.get('object'), found.get('id')];
  if (!token || (!object && !id)) throw wrong('names no token, or neither object nor id');
  return {
    driver: 'pkcs11',
    token: token.toString(),
    ...(object && { object: object.toString() }),
    ...(id && { id }),
  };
}

/** Percent-decodes to bytes: an id need not be text (RFC 7512 §2.3). */
function decoded(name: string, value: string): Buffer {
  if (!/^(?:%[0-9A-Fa-f]{2}|[\w.~:[\]@!$'()*+,&-])+$/.test(value)) {
    throw wrong(`holds letters in ${name} that have to be percent-encoded`);
  }
  const bytes = Buffer.from(
    value.replaceAll(/%([0-9A-Fa-f]{2})/g, (_all, hex: string) =>
      String.fromCodePoint(Number.parseInt(hex, 16)),
    ),
    'latin1',
  );
  const most = name === 'token' || name === 'object' || name === 'id' ? bytesMax[name] : 16;
  const isText = name === 'id' || Buffer.from(bytes.toString()).equals(bytes);
  if (bytes.length > most || !isText) throw wrong(`holds no possible ${name}`);
  return bytes;
}
