import { createPrivateKey, createPublicKey, sign, type KeyObject } from 'node:crypto';
import { encode } from 'cbor2';
import {
  appIdOf,
  type AppleApp,
  type AppleEnvironment,
} from '../../domain/proofs/device/apple/apple-app.ts';
import { sha256 } from '../../domain/proofs/device/apple/authenticator-data.ts';
import {
  derOf,
  issueLeaf,
  newKey,
  pointOf,
  spkiOf,
  type AppleDevelopmentRoots,
  type LeafRequest,
} from '../roots/apple.ts';
import { issueReceipt, renewReceipt, type ReceiptStatement } from './receipt.ts';

export interface ApplePhoneRequest {
  readonly roots: AppleDevelopmentRoots;
  readonly app: AppleApp;
  readonly environment: AppleEnvironment;
  readonly now: () => Date;
  /** Default: 27.0. */
  readonly osVersion?: string | undefined;
  /**
   * How the build was distributed (iOS 27). Default: App Store in production, else development.
   * Null for an older iOS, which does not report it.
   */
  readonly category?: number | null | undefined;
  /** Result of `save` in an earlier run, to continue with the same key and counter. */
  readonly saved?: SavedApplePhone | undefined;
}

/** A phone's key and counter, saved between runs. */
export interface SavedApplePhone {
  /** PKCS #8. */
  readonly keyPem: string;
  readonly counter: number;
}

/** One installation of an app on a simulated iPhone, with one App Attest key. */
export interface ApplePhone {
  /** SHA-256 of the key, 32 bytes. */
  readonly keyId: Uint8Array;
  /** DER. */
  readonly publicKeySpki: Uint8Array;
  /** Returns the attestation object over SHA-256 of `clientData`. */
  attest(clientData: Uint8Array, changes?: AttestationChanges): Uint8Array;
  /** Returns an assertion over SHA-256 of `clientData`. Each call increments the counter. */
  assert(clientData: Uint8Array, changes?: AssertionChanges): Uint8Array;
  /**
   * Returns the receipt of the last attestation, or a later one as Apple's server would issue it.
   */
  receipt(type?: 'ATTEST' | 'RECEIPT', riskMetric?: number): Uint8Array;
  save(): SavedApplePhone;
}

/** Values that replace the true ones in an attestation. Each part is signed as given. */
export interface AttestationChanges {
  readonly leaf?: Partial<LeafRequest> | undefined;
  readonly data?: Partial<AttestedDataRequest> | undefined;
  readonly receipt?: Partial<ReceiptStatement> | undefined;
}

export interface AssertionChanges {
  readonly appId?: string | undefined;
  readonly counter?: number | undefined;
  readonly extensions?: Uint8Array | undefined;
  /** Private key that signs. */
  readonly key?: KeyObject | undefined;
}

export interface AttestedDataRequest {
  readonly appId: string;
  readonly counter: number;
  /** 16 bytes. */
  readonly aaguid: Uint8Array;
  readonly credentialId: Uint8Array;
  readonly publicKey: KeyObject;
  /** Bytes after the key: none, or a CBOR map. */
  readonly extensions: Uint8Array;
}

const dayMs = 24 * 3600_000;
const leafLifeMs = 318 * dayMs;
/** Only AT, also in assertions and with extensions, as Apple does. */
const flags = 0x40;

const aaguids: Readonly<Record<AppleEnvironment, string>> = {
  production: 'appattest\0\0\0\0\0\0\0',
  development: 'appattestdevelop',
};

/** Creates a phone with the app installed. Its key is new or from `saved`, and not attested yet. */
export function createApplePhone(request: ApplePhoneRequest): ApplePhone {
  const { roots, now, saved } = request;
  const key = saved ? createPrivateKey(saved.keyPem) : newKey('prime256v1');
  const publicKey = createPublicKey(key);
  let counter = saved?.counter ?? 0;
  let receipt: Uint8Array | null = null;
  return {
    keyId: sha256(pointOf(publicKey)),
    publicKeySpki: spkiOf(publicKey),
    attest(clientData, changes = {}) {
      const attested = attestKey(request, publicKey, sha256(clientData), changes);
      receipt = attested.receipt;
      return attested.object;
    },
    assert(clientData, changes = {}) {
      counter += 1;
      const authenticatorData = Buffer.concat([
        head(changes.appId ?? appIdOf(request.app), changes.counter ?? counter),
        changes.extensions ?? extensionsOf(request),
      ]);
      const nonce = sha256(authenticatorData, sha256(clientData));
      const signature = sign('sha256', nonce, changes.key ?? key);
      return encode({ signature: plain(signature), authenticatorData: plain(authenticatorData) });
    },
    receipt(type = 'ATTEST', riskMetric = 1) {
      if (!receipt) throw new Error('the key is not attested yet');
      return type === 'ATTEST' ? receipt : renewReceipt(roots, receipt, now(), riskMetric);
    },
    save: () => ({ keyPem: String(key.export({ format: 'pem', type: 'pkcs8' })), counter }),
  };
}

/** Returns what the phone and Apple's server produce together for one key. */
function attestKey(
  request: ApplePhoneRequest,
  publicKey: KeyObject,
  clientDataHash: Uint8Array,
  changes: AttestationChanges,
): { object: Uint8Array; receipt: Uint8Array } {
  const { roots, environment } = request;
  const appId = appIdOf(request.app);
  const at = request.now();
  const authData = attestedData({
    appId,
    counter: 0,
    aaguid: Buffer.from(aaguids[environment]),
    credentialId: sha256(pointOf(publicKey)),
    publicKey,
    extensions: extensionsOf(request),
    ...changes.data,
  });
  const leaf = issueLeaf(roots, {
    publicKey,
    appId,
    nonce: sha256(authData, clientDataHash),
    osVersion: request.osVersion ?? '27.0',
    validity: { from: new Date(at.getTime() - dayMs), to: new Date(at.getTime() + leafLifeMs) },
    ...changes.leaf,
  });
  const statement: ReceiptStatement = {
    appId,
    attested: leaf,
    clientDataHash,
    type: 'ATTEST',
    environment: environment === 'production' ? 'production' : 'sandbox',
    createdAt: at,
    ...changes.receipt,
  };
  const receipt = issueReceipt(roots, statement);
  const x5c = [leaf, derOf(roots.attestationCa.certificatePem)].map(plain);
  const object = encode({
    fmt: 'apple-appattest',
    attStmt: { x5c, receipt: plain(receipt) },
    authData: plain(authData),
  });
  return { object, receipt };
}

/** Returns the CBOR map that iOS 27 appends; empty for an older iOS. */
export function appExtensions(category: number | null): Uint8Array {
  if (category === null) return new Uint8Array();
  const value = Buffer.alloc(4);
  value.writeUInt32LE(category);
  return encode({ apple_bundle_version_01: '1', apple_validation_category_01: plain(value) });
}

function extensionsOf({ category, environment }: ApplePhoneRequest): Uint8Array {
  const own = environment === 'production' ? 4 : 3;
  return appExtensions(category === undefined ? own : category);
}

function attestedData(data: AttestedDataRequest): Buffer {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(data.credentialId.length);
  return Buffer.concat([
    head(data.appId, data.counter),
    data.aaguid,
    length,
    data.credentialId,
    coseKeyOf(data.publicKey),
    data.extensions,
  ]);
}

function head(appId: string, counter: number): Buffer {
  const value = Buffer.alloc(5);
  value.writeUInt8(flags);
  value.writeUInt32BE(counter, 1);
  return Buffer.concat([sha256(Buffer.from(appId)), value]);
}

/** COSE_Key: EC2, ES256, P-256 (RFC 9053 §7.1.1). */
function coseKeyOf(publicKey: KeyObject): Uint8Array {
  const point = pointOf(publicKey);
  return encode(
    new Map<number, number | Uint8Array>([
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, plain(point.subarray(1, 33))],
      [-3, plain(point.subarray(33))],
    ]),
  );
}

/** cbor2 encodes a Buffer like its JSON object, and only a Uint8Array as a byte string. */
const plain = (bytes: Uint8Array): Uint8Array => new Uint8Array(bytes);
