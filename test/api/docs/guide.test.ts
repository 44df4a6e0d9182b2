import { spawn } from 'node:child_process';
import { cp, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newAccount } from '../../support/people/accounts.ts';
import {
  accessToken,
  endSignIn,
  startKeyedIssuer,
  type KeyedIssuer,
} from '../../support/people/sso.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';

const { baseUrl, dataDir } = ownPlatform();
const root = new URL('../../../', import.meta.url).pathname;
let directory = '';
let idp: KeyedIssuer;
let env: NodeJS.ProcessEnv;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'trustcheck-guide-'));
  await cp(join(dataDir, 'dev-trust'), join(directory, 'dev-trust'), { recursive: true });
  idp = await startKeyedIssuer();
  const account = await newAccount(`guide-${process.pid}`);
  env = {
    ...process.env,
    DATA_DIR: directory,
    TMPDIR: directory,
    TRUSTCHECK_URL: baseUrl,
    TRUSTCHECK_KEY: account.api_key,
    TRUSTCHECK_ACCOUNT: String(account.account_id),
    TRUSTCHECK_APP: account.app_id,
    PROVIDER_ISSUER: idp.issuer.issuer,
    PROVIDER_TOKEN: accessToken(idp),
  };
});
afterAll(async () => {
  await endSignIn(idp);
  await rm(directory, { recursive: true, force: true });
});

interface Block {
  readonly language: string;
  readonly line: number;
  readonly text: string;
}

/** The pages with executable fences. */
const guidePages = ['quick-start.md', 'guides/api.md', 'guides/signing-in.md'] as const;

/** Returns the fenced blocks of a page, in order. */
async function blocksOf(page: string): Promise<Block[]> {
  const text = await readFile(join(root, 'docs', page), 'utf8');
  const fences = text.matchAll(/^```(\w*)\n([^]*?)^```$/gm);
  return Array.from(fences, ({ 1: language = '', 2: block = '', index }) => ({
    language,
    text: block,
    line: text.slice(0, index).split('\n').length + 1,
  }));
}

/** Joins the blocks of a language into one program. `mark` adds the source line of each block. */
async function programOf(
  page: string,
  language: string,
  mark: (place: string) => string,
): Promise<string> {
  const blocks = (await blocksOf(page)).filter((block) => block.language === language);
  return blocks.map(({ text, line }) => `${mark(`docs/${page}:${line}`)}\n${text}`).join('');
}

/** Runs a program and returns its output. @throws with the output if the exit code is not 0. */
async function run(command: string, args: readonly string[]): Promise<string> {
  const child = spawn(command, args, { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  let out = '';
  child.stdout.on('data', (part: Buffer) => {
    out += String(part);
    said += String(part);
  });
  child.stderr.on('data', (part: Buffer) => {
    said += String(part);
  });
  const code = await new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  if (code !== 0) throw new Error(`${command} ended with ${String(code)}:\n${said}`);
  return out;
}

describe('the guide to the API', () => {
  it('has a line that sets the variables of a running platform', async () => {
    const [line] = (await blocksOf('guides/api.md')).filter(({ language }) => language === 'bash');
    const known = '{"base_url":"http://127.0.0.1:1","api_key":"k","account_id":7,"app_id":"a"}';
    const stub = `npm() { echo '${known}'; }`;
    const names = ['URL', 'KEY', 'ACCOUNT', 'APP'].map((name) => `"$TRUSTCHECK_${name}"`);
    const said = await run('bash', ['-c', `${stub}\n${line?.text}\necho ${names.join(' ')}`]);
    expect(said).toBe('http://127.0.0.1:1 k 7 a\n');
  });
});

const inShell: Readonly<Record<(typeof guidePages)[number], readonly string[]>> = {
  'quick-start.md': ['passed', 'valid (DEVELOPMENT)'],
  'guides/api.md': [
    'opened',
    'paired',
    'collecting',
    'trust_check.passed',
    'not_found',
    'body.max_uses',
  ],
  'guides/signing-in.md': ['Example account', 'accepted', 'shell@example.test', 'ios', 'cert'],
};
const inTypeScript: Readonly<Record<string, readonly string[]>> = {
  'guides/api.md': [
    'passed',
    'affidavit.available',
    '404 not_found req_',
    'true',
    'expired',
    'false',
    'passed review_then_pass',
  ],
  'guides/signing-in.md': ["[ 'VIEWER' ] email", 'until 20'],
};

/**
 * The test above runs the `bash` fences. Fences without a language start or describe a platform.
 */
const languagesOf: Readonly<Record<(typeof guidePages)[number], readonly string[]>> = {
  'quick-start.md': ['', 'bash', 'sh'],
  'guides/api.md': ['bash', 'sh', 'ts'],
  'guides/signing-in.md': ['sh', 'ts'],
};

describe.concurrent('the guides', () => {
  it.each(guidePages)('%s has only executable fences', async (page) => {
    const blocks = await blocksOf(page);
    const languages = new Set(blocks.map(({ language }) => language));
    expect([...languages].toSorted()).toEqual(languagesOf[page]);
    expect(blocks.length).toBeGreaterThan(5);
  });

  it.each(guidePages)('%s runs in a shell from the first command to the last', async (page) => {
    // Each line of the trace names its block.
    const script = await programOf(page, 'sh', (place) => `PS4='+ ${place} '`);
    const out = await run('bash', ['-euxo', 'pipefail', '-c', script]);
    expect(out.trim().split('\n')).toEqual(expect.arrayContaining([...inShell[page]]));
    if (page !== 'guides/api.md') return;
    const pdf = await readFile(join(directory, 'affidavit.pdf'));
    expect(pdf.subarray(0, 5).toString()).toBe('%PDF-');
  });

  const typed = Object.entries(inTypeScript);
  it.each(typed)('%s runs as TypeScript from the first line to the last', async (page, printed) => {
    const program = await programOf(page, 'ts', (place) => `// ${place}`);
    const out = await run(process.execPath, ['--input-type=module-typescript', '-e', program]);
    for (const words of printed) expect(out).toContain(words);
  });
});
