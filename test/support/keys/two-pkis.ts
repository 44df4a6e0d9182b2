import { X509Certificate } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { createDevPki } from '../../../activities/keys/changes/dev-pki.ts';

const names = ['one', 'other'] as const;

/**
 * Creates two key directories with the same names and different keys. Returns a function that reads
 * a certificate of one of them.
 */
export function twoPkis(): (place: (typeof names)[number], name: string) => X509Certificate {
  const directory = mkdtempSync(join(tmpdir(), 'trustcheck-pkis-'));
  beforeAll(async () => {
    const given = { now: new Date('2026-11-21T06:00:00Z'), baseUrl: 'https://trust.example.test' };
    for (const name of names) await createDevPki(join(directory, name), given);
  });
  afterAll(() => rmSync(directory, { recursive: true, force: true }));
  return (place, name) =>
    new X509Certificate(readFileSync(join(directory, place, `${name}.cer.pem`)));
}
