/** The type of a verification bundle (RFC 8725 §3.11). */
export const bundleTyp = 'vbundle+jwt';

/** A bundle proves current possession of the key, so longer lifetimes are refused. */
export const bundleLifeMsMax = 10 * 60_000;

/** The assurance of a bundle: a certified key in its user's possession. */
export const certAssurance = 'urn:trustcheck:assurance:cert';

/**
 * Returns the issuer of a user's bundles; `/.well-known/jwks.json` below it is the user's key set.
 */
export function bundleIssuer(baseUrl: string, polyUserId: string): string {
  return `${baseUrl}/users/${polyUserId}`;
}
