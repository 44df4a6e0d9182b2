import { randomBytes, X509Certificate } from 'node:crypto';
import { issueKey } from '../../../activities/keys/changes/issue-key.ts';
import type { RevocationReason } from '../../../domain/names.ts';
import type { ValidationData } from '../../../domain/pdf/signature/archive.ts';
import { signCrl } from '../../../domain/pki/revocation/sign-crl.ts';
import type { Signer } from '../../../domain/pki/signer.ts';
import { createTimestampAuthority } from '../../../domain/pki/timestamps/sign-token.ts';
import type { IssuingSigner } from '../../../domain/pki/x509/key-signer.ts';
import type { CertificateRole } from '../../../domain/pki/x509/profile.ts';

const dayMs = 24 * 3600_000;
const baseUrl = 'http://127.0.0.1:8080';
export const on = (day: string): Date => new Date(`${day}T00:00:00.000Z`);
export const plus = (at: Date, days: number): Date => new Date(at.getTime() + days * dayMs);

/** One that signs, under its CA where it has one. */
export interface Key {
  readonly certificate: X509Certificate;
  readonly signer: IssuingSigner;
  readonly above: Key | null;
}

export async function newKey(role: CertificateRole, above: Key | null, now: Date): Promise<Key> {
  const commonName = `trustcheck ${role} ${now.getFullYear()}`;
  const issuer = above?.signer ?? null;
  const { der, signer } = await issueKey({ role, commonName, issuer, now, baseUrl });
  return { certificate: new X509Certificate(der), signer, above };
}

/** As an end of a chain, whose CA is sent along. */
export function signerOf({ signer, certificate, above }: Key): Signer {
  const chain = [certificate, ...(above ? [above.certificate] : [])].map(({ raw }) => raw);
  return { ...signer, algorithm: 'ES256', certificateChain: chain };
}

export const stampsOf = (key: Key, at: Date) =>
  createTimestampAuthority(signerOf(key), () => at, randomBytes);

export interface Revoked {
  readonly key: Key;
  readonly reason: RevocationReason;
  /** Of another kind than those of services an unspecified reason is left out. */
  readonly kind?: 'services' | null | undefined;
  readonly at: Date;
}

/** The list of a CA at an instant, good for a week. */
function listOf({ signer }: Key, at: Date, revoked: readonly Revoked[] = []): Promise<Buffer> {
  return signCrl({
    issuer: signer,
    number: Math.floor(at.getTime() / 1000),
    thisUpdate: plus(at, -0.01),
    nextUpdate: plus(at, 7),
    revoked: revoked.map(({ key, kind = 'services', reason, at: revokedAt }) => ({
      serial: key.certificate.serialNumber.toLowerCase(),
      kind,
      revoked_at: revokedAt,
      revocation_reason: reason,
      invalidity_date: null,
    })),
  });
}

/** What judges time stamps at an instant: their certificates, and the lists of the CAs above. */
export async function dataOf(
  keys: readonly Key[],
  at: Date,
  revoked: readonly Revoked[] = [],
): Promise<ValidationData> {
  const chains = keys.flatMap((key) => (key.above ? [key, key.above] : [key]));
  const cas = new Set(chains.flatMap(({ above }) => above ?? []));
  return {
    certificates: [...new Set(chains)].map(({ certificate }) => certificate.raw),
    crls: await Promise.all(
      Array.from(cas, (ca) =>
        listOf(
          ca,
          at,
          revoked.filter(({ key }) => key.above === ca),
        ),
      ),
    ),
  };
}
