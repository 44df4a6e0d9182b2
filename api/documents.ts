import { readFileSync } from 'node:fs';

/** The generated documents of the interface, as they are checked in. */
export type DocumentName = 'openapi.json' | 'asyncapi.json';

export const documentPath = (name: DocumentName): string => new URL(name, import.meta.url).pathname;

/** The text of a document; a test holds it against the generated one. */
export function checkedInDocument(name: DocumentName): string {
  return readFileSync(documentPath(name), 'utf8');
}
