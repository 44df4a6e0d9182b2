import { writeFileSync } from 'node:fs';
import { asyncApiDocument } from './asyncapi.ts';
import { documentPath, type DocumentName } from './documents.ts';
import { openApiDocument } from './openapi.ts';

/** Each document with what generates it. */
export const generated: Readonly<Record<DocumentName, () => Record<string, unknown>>> = {
  'openapi.json': openApiDocument,
  'asyncapi.json': asyncApiDocument,
};

if (import.meta.main) {
  const [unknown] = process.argv.slice(2);
  if (unknown !== undefined) {
    process.stderr.write(`${unknown}: npm run openapi takes no words\n`);
    process.exit(2);
  }
  writeFileSync(documentPath('openapi.json'), textOf(generated['openapi.json']()));
  writeFileSync(documentPath('asyncapi.json'), textOf(generated['asyncapi.json']()));
}

function textOf(document: Record<string, unknown>): string {
  return `${JSON.stringify(document, null, 2)}\n`;
}
