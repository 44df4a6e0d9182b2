// Files that the verifier reads from disk outside of a browser: fonts, and versions of the packages
// that set text.

const files = new Map<string, Uint8Array>();
const places = new Map<string, string>();

/** Embeds a file under the path that the verifier requests. */
export function embedFile(path: string, bytes: Uint8Array): void {
  files.set(path, bytes);
}

/** Embeds the resolution of a module name, as seen from a file. */
export function embedPlace(name: string, from: string, path: string): void {
  places.set(`${name} ${from}`, path);
}

export const fileAt = (path: string): Uint8Array | undefined => files.get(path);
export const placeOf = (name: string, from: string): string | undefined =>
  places.get(`${name} ${from}`);
