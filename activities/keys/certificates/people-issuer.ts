import type { X509Certificate } from 'node:crypto';
import type { PlatformKeys } from '../directory/load-keys.ts';

/** Finds the CA that has certified a person’s key: the current, a retired or the next one. */
export function peopleIssuerOf(
  { peopleCa, retired, nextCas }: Pick<PlatformKeys, 'peopleCa' | 'retired' | 'nextCas'>,
  issuerKid: string,
): X509Certificate | null {
  const known = [peopleCa, ...retired, ...nextCas];
  return known.find(({ kid }) => kid === issuerKid)?.certificate ?? null;
}
