import type { X509Certificate } from 'node:crypto';
import type { PlatformKeys } from '../directory/load-keys.ts';

/** Returns the certificate of the people CA with this key id: current, retired or next. */
export function peopleIssuerOf(
  { peopleCa, retired, nextCas }: Pick<PlatformKeys, 'peopleCa' | 'retired' | 'nextCas'>,
  issuerKid: string,
): X509Certificate | null {
  const known = [peopleCa, ...retired, ...nextCas];
  return known.find(({ kid }) => kid === issuerKid)?.certificate ?? null;
}
