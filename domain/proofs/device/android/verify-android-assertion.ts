import { createPublicKey, verify } from 'node:crypto';
import { childrenOf, MalformedDer, readElement, take, tags } from '../../../pki/read-der.ts';
import { judge, type Rule, type RuleAnswer, type Verdict } from '../../verdict.ts';

export interface AndroidAssertionInput {
  /** The attested key, SubjectPublicKeyInfo in DER. */
  readonly publicKeySpki: Uint8Array;
  /** The signed bytes, unchanged. */
  readonly clientData: Uint8Array;
  /** ECDSA-Sig-Value in DER (RFC 3279 §2.2.3). */
  readonly signature: Uint8Array;
}

const rules: readonly Rule<AndroidAssertionInput>[] = [
  { name: 'parse', judge: checkParse },
  { name: 'signature', judge: checkSignature },
];

/** SubjectPublicKeyInfo of a P-256 key up to its uncompressed point (RFC 5480 §2). */
const p256Prefix = Buffer.from('3059301306072a8648ce3d020106082a8648ce3d03010703420004', 'hex');
const spkiBytes = p256Prefix.length + 64;
const signatureBytesMax = 72;
const scalarBytesMax = 32;

/**
 * Judges a phone's signature with its attested P-256 key: ECDSA with SHA-256 over `clientData`.
 * Checks are `parse` and `signature`; reason codes are `malformed` and `signature_invalid`. High
 * and low s are both accepted, since Keystore produces either. Never throws. The caller checks that
 * the nonce in the client data is alive.
 */
export function verifyAndroidAssertion(input: AndroidAssertionInput): Verdict {
  return judge('android-assertion', rules, input, ({ publicKeySpki }) => ({
    // Same name as in the verdict on the attestation: an auditor compares the two.
    public_key_spki: Buffer.from(publicKeySpki).toString('base64'),
  }));
}

function checkParse({ signature }: AndroidAssertionInput): RuleAnswer {
  if (signature.length > signatureBytesMax) {
    return { fault: 'malformed', detail: 'the signature is too long' };
  }
  const element = readElement(signature, tags.sequence);
  const rest = childrenOf(element.contents);
  for (const scalar of [take(rest, tags.integer), take(rest, tags.integer)]) {
    checkScalar(scalar.contents);
    if (scalar.whole.length !== scalar.contents.length + 2) throw new MalformedDer('not DER');
  }
  const isShortest = element.whole.length === element.contents.length + 2;
  return isShortest && rest.length === 0 ? { ok: true } : { fault: 'malformed' };
}

/** Checks for a positive INTEGER in minimal form (X.690 §8.3.2). */
function checkScalar(contents: Uint8Array): void {
  const [first = 0x80, second = 0] = contents;
  const isPadded = first === 0;
  const isTooLong = contents.length > scalarBytesMax + (isPadded ? 1 : 0);
  if (first & 0x80 || (isPadded && !(second & 0x80)) || isTooLong) {
    throw new MalformedDer('not a scalar');
  }
}

function checkSignature(input: AndroidAssertionInput): RuleAnswer {
  const { publicKeySpki, clientData, signature } = input;
  const spki = Buffer.from(publicKeySpki);
  if (spki.length !== spkiBytes || !spki.subarray(0, p256Prefix.length).equals(p256Prefix)) {
    return { fault: 'signature_invalid', detail: 'the key is not on P-256' };
  }
  const key = createPublicKey({ key: spki, format: 'der', type: 'spki' });
  const holds = verify('sha256', clientData, { key, dsaEncoding: 'der' }, signature);
  return holds ? { ok: true } : { fault: 'signature_invalid' };
}
