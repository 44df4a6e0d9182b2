import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The generated documents of the interface, as they are checked in. */
export type DocumentName = 'openapi.json' | 'asyncapi.json';

export const documentPath = (name: DocumentName): string =>
  fileURLToPath(new URL(`../${name}`, import.meta.url));

/** The text of a document; a test holds it against the generated one. */
export function checkedInDocument(name: DocumentName): string {
  return readFileSync(documentPath(name), 'utf8');
}
