import { randomBytes, X509Certificate } from 'node:crypto';
import { keySigner } from '../../domain/pki/x509/key-signer.ts';
import { mintBundle } from '../../domain/tokens/bundle.ts';
import type { Device } from './device.ts';

export interface PhoneBundle {
  /** The platform's base URL, without a slash at its end. */
  readonly baseUrl: string;
  readonly now: Date;
  /** The platform itself when left out. */
  readonly audience?: string | undefined;
  readonly appId?: string | undefined;
  readonly nonce?: string | undefined;
  readonly verifiedClaims?: string | undefined;
}

/** A verification bundle by an enrolled phone's certified key, with what its last check proved. */
export async function phoneBundle(device: Device, request: PhoneBundle): Promise<string> {
  const { enrolled, signingKey } = device;
  if (!enrolled) throw new Error('the phone is not enrolled');
  const chain = enrolled.certificateChain.map((pem) => new X509Certificate(pem).raw);
  const signer = keySigner(signingKey, chain);
  const { algorithm } = signer;
  if (algorithm !== 'ES256') throw new Error('the signing key of a phone is on P-256');
  return mintBundle(
    { ...signer, algorithm },
    {
      ...request,
      polyUserId: enrolled.polyUserId,
      audience: request.audience ?? request.baseUrl,
      jti: randomBytes(16).toString('base64url'),
      verifiedClaims: request.verifiedClaims ?? currentClaims(device, request.now),
    },
  );
}

/** What the last check proved, until its token runs out. */
function currentClaims({ verifiedClaims }: Device, now: Date): string | undefined {
  if (verifiedClaims === null) return undefined;
  const payload = Buffer.from(verifiedClaims.split('.')[1] ?? '', 'base64url').toString();
  const { exp } = JSON.parse(payload) as { exp: number };
  return exp * 1000 > now.getTime() ? verifiedClaims : undefined;
}
