import { createPublicKey, randomBytes, verify } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { CustodyError } from '../../../../activities/keys/custody/custody-error.ts';
import { readReference } from '../../../../activities/keys/custody/key-reference.ts';
import { openKeeper } from '../../../../activities/keys/custody/open-keeper.ts';
import { createCustodySigner } from '../../../../activities/keys/directory/custody-signer.ts';
import { thrownBy as thrownWithout } from '../../../support/keys/thrown-by.ts';
import {
  kmsAccount,
  kmsRefusal,
  startKms,
  type KmsStandIn,
} from '../../../support/stand-ins/keys/kms.ts';
import { patienceMsWith, type Fault } from '../../../support/stand-ins/provider.ts';

let kms: KmsStandIn;
beforeAll(async () => {
  kms = await startKms(() => new Date());
});
afterEach(() => kms.recover());
afterAll(() => kms.stop());

describe('AWS KMS', () => {
  const keeper = (timeoutMs?: number) =>
    openKeeper({ kms: { credentials: kmsAccount, url: kms.url, timeoutMs }, pkcs11: null });
  const digest = randomBytes(32);
  const made = () => {
    const { arn, privateKey } = kms.makeKey();
    return { reference: readReference(`awskms:///${arn}`), publicKey: createPublicKey(privateKey) };
  };
  const thrownBy = (work: Promise<unknown>) => thrownWithout(work, [kmsAccount.secretAccessKey]);

  it.each<[string, string, Fault]>([
    ['denied', 'AccessDeniedException', kmsRefusal('AccessDeniedException')],
    ['denied', 'UnrecognizedClientException', kmsRefusal('UnrecognizedClientException')],
    ['absent', 'NotFoundException', kmsRefusal('NotFoundException')],
    ['unusable', 'DisabledException', kmsRefusal('DisabledException')],
    ['unusable', 'KMSInvalidStateException', kmsRefusal('KMSInvalidStateException')],
    ['unusable', 'InvalidKeyUsageException', kmsRefusal('InvalidKeyUsageException')],
    ['unreachable', 'ThrottlingException', kmsRefusal('ThrottlingException')],
    ['unreachable', 'KeyUnavailableException', kmsRefusal('KeyUnavailableException', 500)],
    ['unreachable', 'DependencyTimeoutException', kmsRefusal('DependencyTimeoutException', 503)],
    ['unreachable', 'KMSInternalException', kmsRefusal('KMSInternalException', 500)],
    ['unreachable', 'no answer', { status: 502, text: 'a page of a proxy' }],
    ['unreachable', 'no answer', 'reset'],
    ['unreachable', 'no answer', 'hang'],
    ['unreachable', 'no answer', 'trickle'],
  ])('reports the fault %s for %s', async (fault, said, answer) => {
    const { reference } = made();
    kms.failNext(answer, 10);
    const before = kms.requests.length;
    const error = await thrownBy(keeper(patienceMsWith(answer)).sign(reference, digest));
    expect(error).toBeInstanceOf(CustodyError);
    expect(error).toMatchObject({ fault });
    expect(kms.requests.length - before).toBeLessThanOrEqual(3);
    if (typeof answer !== 'string' && answer.status !== 502) expect(String(error)).toContain(said);
  });

  it('is retried a few times after throttling', async () => {
    const { reference, publicKey } = made();
    kms.failNext(kmsRefusal('ThrottlingException'), 2);
    const signer = createCustodySigner(keeper(), reference, publicKey, []);
    const signature = await signer.sign(digest);
    expect(verify('sha256', digest, publicKey, signature)).toBe(true);
  });

  it.each<[string, (good: Record<string, unknown>) => object]>([
    ['of another key', (good) => ({ ...good, KeyId: `${String(good['KeyId'])}0` })],
    ['by another algorithm', (good) => ({ ...good, SigningAlgorithm: 'ECDSA_SHA_384' })],
    ['without a signature', ({ Signature: _gone, ...rest }) => rest],
    ['without any member', () => ({})],
    ['with an invalid signature', (good) => ({ ...good, Signature: 'AAAA' })],
  ])('is not trusted with an answer %s', async (_what, change) => {
    const { reference, publicKey } = made();
    const { driver } = reference;
    const arn = driver === 'aws-kms' ? reference.arn : '';
    const good = { KeyId: arn, Signature: 'AAAA', SigningAlgorithm: 'ECDSA_SHA_256' };
    kms.failNext({ status: 200, text: JSON.stringify(change(good)) });
    const signer = createCustodySigner(keeper(), reference, publicKey, []);
    const failure = await thrownBy(signer.sign(digest));
    expect(failure).toMatchObject({
      code: 'dependency_unavailable',
      retryAfterSeconds: 5,
      cause: { fault: 'mismatched' },
    });
  });
});
