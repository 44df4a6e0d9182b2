/** The type of a verification bundle (RFC 8725 §3.11). */
export const bundleTyp = 'vbundle+jwt';

/** A bundle proves possession now: none lives longer, whatever it says of itself. */
export const bundleLifeMsMax = 10 * 60_000;

/** The assurance a bundle carries: a certified key in the hands of its user. */
export const certAssurance = 'urn:trustcheck:assurance:cert';

/** The issuer of a user's bundles: with `/.well-known/jwks.json` behind it, the user's key set. */
export function bundleIssuer(baseUrl: string, polyUserId: string): string {
  return `${baseUrl}/users/${polyUserId}`;
}
