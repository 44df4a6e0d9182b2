const nameForm = /^([0-9a-f]{64})\.png$/;

/** The path of a logo by its digest, or null for none; it works under each name of the host. */
export const logoPath = (sha256: string | null): string | null =>
  sha256 === null ? null : `/logos/${sha256}.png`;

/** The whole address of a logo by its digest; null for none. */
export function logoAddress(baseUrl: string, sha256: string | null): string | null {
  const path = logoPath(sha256);
  return path === null ? null : baseUrl + path;
}

/** The digest in the last part of a logo's path; null for any other text. */
export const logoDigestIn = (name: string): string | null => nameForm.exec(name)?.[1] ?? null;
