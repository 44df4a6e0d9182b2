// What the verifier reads of the disk elsewhere: fonts and the versions of what sets them.

const files = new Map<string, Uint8Array>();
const places = new Map<string, string>();

/** Puts a file in, by the path it is asked for. */
export function embedFile(path: string, bytes: Uint8Array): void {
  files.set(path, bytes);
}

/** Puts in where a name leads to, seen from a place. */
export function embedPlace(name: string, from: string, path: string): void {
  places.set(`${name} ${from}`, path);
}

export const fileAt = (path: string): Uint8Array | undefined => files.get(path);
export const placeOf = (name: string, from: string): string | undefined =>
  places.get(`${name} ${from}`);
