import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compiledDirectory, hasCache } from '../../../cli/platform/cache.ts';
import { freePort } from '../../../cli/platform/ports.ts';
import { startServer } from '../../../cli/platform/postgres.ts';
import { sendSignal } from '../../../cli/platform/processes.ts';
import { startTemporal } from '../../../cli/platform/temporal.ts';
import { createBrowserKey, createClient } from '../../../client/index.ts';
import { endWithUs } from '../../support/platform/end-with-us.ts';
import { eventually } from '../../support/platform/harness.ts';
import { startProxy } from '../../support/platform/proxy.ts';
import { startSmtp } from '../../support/stand-ins/mail/smtp.ts';
import { startTwilio, type TwilioStandIn } from '../../support/stand-ins/phones/twilio.ts';
import { startVersitygw } from '../../support/stand-ins/versitygw.ts';

const repository = new URL('../../..', import.meta.url).pathname;
const guide = readFileSync(join(repository, 'docs/operate/first-deployment.md'), 'utf8');
const directory = mkdtempSync(join(tmpdir(), 'trustcheck-first-'));
const number = '+4915112345678';
const at = (name: string): string => join(directory, name);
const say = (line: string): void => void process.stderr.write(`${line}\n`);

/** Cleanups to run after the test, in reverse order. */
const ends: (() => Promise<void> | void)[] = [];
let values: Readonly<Record<string, string>>;
let environment: NodeJS.ProcessEnv;
let twilio: TwilioStandIn;
let baseUrl = '';

beforeAll(async () => {
  ends.push(() => rmSync(directory, { recursive: true, force: true }));
  const [tls, origin] = [selfSigned(), originOf()];
  const trusted = getCACertificates('default');
  setDefaultCACertificates([...trusted, tls.cert]);
  ends.push(() => setDefaultCACertificates(trusted));
  const smtp = await startSmtp();
  ends.push(smtp.stop);
  twilio = await startTwilio({
    accountSid: `AC${'0'.repeat(32)}`,
    authToken: 'twilio-auth-token',
    senders: ['+15005550006'],
  });
  ends.push(twilio.stop);
  const twilioByTls = await startProxy({ backends: [twilio.url], tls });
  ends.push(twilioByTls.stop);
  const postgres = await startServer({
    dataDir: at('postgres'),
    logFile: at('postgres.log'),
    isThrowaway: true,
    onSpawn: endWithUs,
  });
  ends.push(postgres.stop);
  const temporal = await startTemporal({ logFile: at('temporal.log'), say, onSpawn: endWithUs });
  ends.push(temporal.stop);
  const objects = await startVersitygw(at('objects'), say);
  ends.push(objects.stop);
  const [api, metrics, worker] = [await freePort(), await freePort(), await freePort()];
  const proxy = await startProxy({ backends: [`http://127.0.0.1:${api}`], tls });
  ends.push(proxy.stop);
  baseUrl = proxy.url;
  const { host, password } = new URL(postgres.url);
  values = {
    'https://git.example.com/trustcheck.git': origin,
    'https://trust.example.com': baseUrl,
    'postgres.example.com:5432': host,
    'superuser-password': password,
    'temporal.example.com:7233': temporal.address,
    'https://objects.example.com': objects.endpoint,
    's3-access-key': objects.accessKeyId,
    's3-secret-key': objects.secretAccessKey,
    'smtp://mail.example.com:587': `smtp://127.0.0.1:${smtp.port}`,
    '8080': String(api),
    '9464': String(metrics),
    '9465': String(worker),
    '/etc/trustcheck': at('etc'),
    '/var/lib/trustcheck': at('data'),
    '/media/offline': at('offline'),
  };
  const { PATH, HOME } = process.env;
  environment = {
    PATH: `${join(process.execPath, '..')}:${PATH}`,
    HOME,
    NODE_EXTRA_CA_CERTS: at('tls.pem'),
    CURL_CA_BUNDLE: at('tls.pem'),
    // Uses the stand-in of Twilio in place of the public one.
    TWILIO_BASE_URL: twilioByTls.url,
    // The packages are those of this checkout, so their compile cache can be reused.
    ...(hasCache() ? { NODE_COMPILE_CACHE: compiledDirectory() } : {}),
  };
  writeFileSync(at('state'), `cd ${directory}\n`);
}, 600_000);

afterAll(async () => {
  for (const end of ends.toReversed()) await end();
});

/** A self-signed certificate for this machine, which both programs and curl trust. */
function selfSigned(): { key: string; cert: string } {
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
  const names = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
  const out = ['-keyout', at('tls.key'), '-out', at('tls.pem')];
  execFileSync('openssl', ['req', '-x509', ...key, ...names, '-days', '2', ...out], {
    stdio: 'pipe',
  });
  return { key: readFileSync(at('tls.key'), 'utf8'), cert: readFileSync(at('tls.pem'), 'utf8') };
}

/** Creates a repository to clone, with the working tree as its only commit. */
function originOf(): string {
  const git = (...words: string[]) =>
    execFileSync('git', [
      '--git-dir',
      at('origin/trustcheck.git'),
      '--work-tree',
      repository,
      ...words,
    ]);
  mkdirSync(at('origin'));
  git('init', '--quiet');
  git('add', '--all');
  const who = ['-c', 'user.name=test', '-c', 'user.email=test@example.com'];
  git(...who, 'commit', '--quiet', '--message', 'the working tree');
  return `file://${at('origin/trustcheck.git')}`;
}

/** Returns the commands of one step, with the values of this machine in place of the guide’s. */
function commandsOf(step: number): string {
  const [, section = ''] = guide.split(`\n## ${step}. `);
  const blocks = [...(section.split('\n## ')[0] ?? '').matchAll(/^```sh\n(.*?)^```$/gms)];
  let text = blocks.map(([, block = '']) => block).join('');
  for (const [name, value] of Object.entries(values)) text = text.replaceAll(name, value);
  return text.replace('npm ci --omit=dev', `ln -s ${join(repository, 'node_modules')} .`);
}

/** Runs a step in one shell session: exports and the working directory are kept. */
async function run(step: number): Promise<string> {
  const state = at('state');
  const script = `. ${state}\n${commandsOf(step)}\n{ export -p; echo "cd '$PWD'"; } > ${state}\njobs -p >> ${at('jobs')}\n`;
  const child = spawn('bash', ['-euo', 'pipefail', '-c', script], {
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  let faults = '';
  child.stdout.on('data', (part: Buffer) => (said += part.toString()));
  child.stderr.on('data', (part: Buffer) => (faults += part.toString()));
  const code = await new Promise((resolve) => child.once('exit', resolve));
  expect([step, code, code === 0 ? '' : `${faults.slice(-2_000)}${logs()}`]).toEqual([step, 0, '']);
  return said;
}

function logs(): string {
  return ['api', 'worker']
    .map((name) => at(`data/${name}.log`))
    .flatMap((path) => (existsSync(path) ? [readFileSync(path, 'utf8').slice(-2_000)] : []))
    .join('\n');
}

/** Does the steps of a person in the browser through the same API operations. */
async function passInBrowser(link: string): Promise<void> {
  const client = createClient({ baseUrl, token: null, browserKey: await createBrowserKey() });
  const link_uuid = link.split('/').at(-1) ?? '';
  const begun = await client.trustChecks.begin({ body: { link_uuid, client: 'web' } });
  const token = { token: begun.check_token };
  const id = begun.link_session_id;
  await client.trustChecks.open({ id }, token);
  await client.trustChecks.pair({ id }, token);
  await client.trustChecks.consent(
    { id, body: { accepted: true, tos_version: '1', claims: [] } },
    token,
  );
  await client.trustChecks.sendCode({ id, body: { phone_number: number } }, token);
  const message = await eventually('a code', async () =>
    twilio.messages.find(({ to }) => to === number),
  );
  const code = /\d{6}/.exec(message.body)?.[0] ?? '';
  const judged = await client.trustChecks.submitProof(
    { id, proof: 'phone', body: { code } },
    token,
  );
  expect(judged.status).toBe('passed');
}

describe('docs/operate/first-deployment.md', () => {
  it('leads from an empty machine to a valid affidavit', async () => {
    ends.push(() => {
      const jobs = existsSync(at('jobs')) ? readFileSync(at('jobs'), 'utf8') : '';
      for (const pid of jobs.split('\n').map(Number)) if (pid > 1) sendSignal(pid, 'SIGKILL');
    });
    const table = guide.split('\n## 1. ')[0] ?? '';
    for (const name of Object.keys(values)) expect(table).toContain(`\`${name}\``);
    // The CI script runs the command that this test skips.
    expect(readFileSync(join(repository, '.ci/run'), 'utf8')).toMatch(/^npm ci$/m);
    await run(1);
    await run(2);
    const ceremony = await run(3);
    await run(4);
    await run(5);
    await run(6);
    await passInBrowser((await run(7)).trim());
    const verdict = await run(8);
    const [, fingerprint = 'none'] = /^root certificate SHA-256 (\w{64})$/m.exec(ceremony) ?? [];
    expect(verdict.replaceAll(':', '').toLowerCase()).toContain(fingerprint);
    expect(verdict).toMatch(/\bvalid\b/);
  }, 600_000);
});
