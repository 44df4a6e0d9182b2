import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const main = new URL('../../api/main.ts', import.meta.url);

/** Packages of workers, commands or a few requests: the API must not hold them in memory. */
const notByTheApi = [
  '@aws-sdk/client-kms',
  '@aws-sdk/client-rekognition',
  '@aws-sdk/client-s3',
  '@peculiar/x509',
  '@sendgrid/mail',
  '@temporalio/activity',
  '@temporalio/worker',
  '@vladmandic/face-api',
  '@vladmandic/human',
  'koffi',
  'nodemailer',
  'pdf-lib',
  'sharp',
  'tesseract.js',
  'twilio',
  'undici',
];

/** The packages that a process loads when it imports these modules. */
async function packagesOf(modules: readonly string[]): Promise<Set<string>> {
  const program = `
    import { registerHooks } from 'node:module';
    const seen = new Set();
    registerHooks({ load(url, context, next) {
      const [, name] = /^.*\\/node_modules\\/((?:@[^/]+\\/)?[^/]+)/.exec(url) ?? [];
      if (name) seen.add(name);
      return next(url, context);
    } });
    for (const module of ${JSON.stringify(modules)}) await import(module);
    console.log(JSON.stringify([...seen]));
    process.exit();`;
  const words = ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', program];
  const { stdout } = await promisify(execFile)(process.execPath, words);
  return new Set(JSON.parse(stdout) as string[]);
}

test('the API loads no package that only workers, commands or a few requests need', async () => {
  const source = await readFile(main, 'utf8');
  const imported = [...source.matchAll(/ from '(\.[^']+)';/g)].map(
    ([, path]) => new URL(path ?? '', main).href,
  );
  const packages = await packagesOf(imported);
  expect(packages).toContain('express');
  expect(packages).toContain('@temporalio/client');
  expect(notByTheApi.filter((name) => packages.has(name))).toEqual([]);
});
