import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { documentPath, type DocumentName } from '../docs/documents.ts';
import { asyncApiDocument } from './asyncapi.ts';
import { openApiDocument } from './openapi.ts';

const formatter = fileURLToPath(new URL('../../node_modules/.bin/oxfmt', import.meta.url));

/** Each document with its generator. */
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
  write('openapi.json');
  write('asyncapi.json');
}

function write(name: DocumentName): void {
  writeFileSync(documentPath(name), JSON.stringify(generated[name]()));
  // The formatter joins short structures into one line, which halves the length of the document.
  execFileSync(formatter, [documentPath(name)], { stdio: ['ignore', 'ignore', 'inherit'] });
}
