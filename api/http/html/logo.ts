const nameForm = /^([0-9a-f]{64})\.png$/;

/** Returns the path of a logo by its digest; null for none. It works under every host name. */
export const logoPath = (sha256: string | null): string | null =>
  sha256 === null ? null : `/logos/${sha256}.png`;

/** Returns the absolute URL of a logo by its digest; null for none. */
export function logoAddress(baseUrl: string, sha256: string | null): string | null {
  const path = logoPath(sha256);
  return path === null ? null : baseUrl + path;
}

/** Returns the digest in the file name of a logo; null for any other text. */
export const logoDigestIn = (name: string): string | null => nameForm.exec(name)?.[1] ?? null;
