import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { wordsOf } from '../../../domain/affidavit/words/copy.ts';
import { directionOf, languages } from '../../../domain/languages/languages.ts';
import { catalogs } from '../../../domain/languages/say.ts';
import { ownDirectory } from '../../support/commands/run-command.ts';
import { call, passedSession, withAffidavit } from '../../support/http/client.ts';
import { openTestDb } from '../../support/platform/harness.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';

const { baseUrl, databaseUrl, own } = ownPlatform();
const program = new URL('../../../cli/trustcheck.mjs', import.meta.url).pathname;

async function issued() {
  const session = await passedSession();
  const { body } = await withAffidavit(session);
  const { affidavit_id: affidavit = '' } = body['affidavit'] as Record<string, string>;
  return { id: session.id, affidavit };
}

/** One affidavit for the tests that only read it. */
let kept: ReturnType<typeof issued>;
beforeAll(() => {
  kept = issued();
  return kept;
});

describe('verify.affidavit', () => {
  it('shows the file hash and a revocation, but nothing about the subject', async () => {
    const session = await passedSession();
    const done = await withAffidavit(session);
    const { affidavit_id, sha256 } = done.body['affidavit'] as Record<string, string>;
    const page = await call('GET', `/verify/${affidavit_id}`);
    expect(page.status).toBe(200);
    expect(page.headers.get('content-type')).toContain('text/html');
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(page.text).toContain(sha256);
    expect(page.text).toContain('not revoked');
    expect(page.text).not.toContain(session.id);
    await call('POST', `/v2/trust-checks/${session.id}/revoke`, { token: own.api_key });
    const after = await call('GET', `/verify/${affidavit_id}`);
    expect(after.text).toContain('revoked by the requester');
  });

  it('shows the same commands as the affidavit, and they verify it', async () => {
    const { id, affidavit } = await issued();
    const page = await call('GET', `/verify/${affidavit}`);
    const about = { affidavitId: affidavit, linkSessionId: id, outcome: 'passed', proofs: [] };
    const given = { hasConsent: false, isDevelopment: true };
    const steps = wordsOf({ baseUrl, ...about, ...given }).how_to_verify;
    const [getRoot = '', verify = ''] = steps.map(({ command }) => command ?? '');
    expect(getRoot).toContain(`curl -o root.pem ${baseUrl}/pki/trust-bundle.pem`);
    expect(verify).toMatch(/^npx trustcheck verify affidavit\.pdf --root root\.pem$/);
    expect(page.text).toContain(`<pre dir="ltr"><code>${getRoot}</code></pre>`);
    expect(page.text).toContain(`<pre dir="ltr"><code>${verify}</code></pre>`);
    const directory = await ownDirectory();
    const path = `/v2/affidavits/${own.app_id}/${id}/download`;
    const { headers } = await call('GET', path, { token: own.api_key });
    for (const [name, url] of [
      ['affidavit.pdf', headers.get('location') ?? ''],
      ['root.pem', `${baseUrl}/pki/trust-bundle.pem`],
    ] as const) {
      writeFileSync(join(directory.path, name), await (await fetch(url)).bytes());
    }
    const [, , ...flags] = verify.split(' ');
    const run = (...more: string[]) =>
      spawnSync(process.execPath, [program, ...flags, ...more], {
        cwd: directory.path,
        encoding: 'utf8',
      });
    const [said, told] = [run(), run('--json')];
    await directory.remove();
    expect([said.status, said.stderr]).toEqual([0, '']);
    expect(said.stdout).toContain(affidavit);
    expect(said.stdout).toMatch(/^DEVELOPMENT: the service accepts simulated evidence, .+\n/);
    expect(JSON.parse(told.stdout).facts).toMatchObject({ development: true });
  });

  it('returns the same facts as JSON, including the development mark', async () => {
    const { id, affidavit } = await issued();
    const headers = { accept: 'application/json' };
    const told = await call('GET', `/verify/${affidavit}`, { headers });
    expect([told.status, told.headers.get('content-type')]).toEqual([
      200,
      'application/json; charset=utf-8',
    ]);
    const session = await call('GET', `/v2/trust-checks/${id}`, { token: own.api_key });
    expect(told.body).toEqual({
      affidavit_id: affidavit,
      sha256: Object(session.body['affidavit']).sha256,
      sealed_at: expect.stringMatching(/^\d{4}-.+Z$/),
      pades_level: 'PAdES-B-LTA',
      outcome_validity: 'valid',
      livemode: true,
      development: true,
      log_origin: `${new URL(baseUrl).host}/log`,
      log_key: expect.stringMatching(/^[^+]+\+[0-9a-f]{8}\+[A-Za-z0-9+/=]{44}$/),
    });
    const { body: log } = await call('GET', '/log/.well-known/jwks.json');
    expect(Object(log['keys'])[0].note_key).toBe(told.body['log_key']);
    const page = await call('GET', `/verify/${affidavit}`, { headers: { accept: 'text/html' } });
    for (const fact of ['sha256', 'sealed_at', 'pades_level', 'log_origin', 'log_key']) {
      expect(page.text).toContain(String(told.body[fact]));
    }
    expect(page.text).toContain('href="/verify"');
    expect(page.text).toContain(`href="/log/proof/${affidavit}"`);
    expect(page.text).toContain(
      '<strong>DEVELOPMENT</strong>: the service accepts simulated evidence',
    );
    expect([told, page].map((each) => each.headers.get('vary'))).toEqual([
      'Accept, Accept-Language',
      'Accept, Accept-Language',
    ]);
  });

  it.each([
    [false, /^(?![^]*(DEVELOPMENT|no record))/],
    [
      null,
      /^(?![^]*(DEVELOPMENT|each page))[^]*This service has no record of whether the evidence was simulated\.</,
    ],
  ] as const)('has no development mark if the record says %s', async (development, words) => {
    const { affidavit } = await issued();
    const db = openTestDb(databaseUrl);
    await db.query('UPDATE affidavits SET development = $2 WHERE affidavit_id = $1', [
      affidavit,
      development,
    ]);
    await db.end();
    expect((await call('GET', `/verify/${affidavit}`)).text).toMatch(words);
    const headers = { accept: 'application/json' };
    const told = await call('GET', `/verify/${affidavit}`, { headers });
    expect(told.body['development']).toBe(development);
  });

  it.each(languages)('is available in %s with its text direction', async (language) => {
    const { affidavit } = await kept;
    const headers = { accept: 'text/html', 'accept-language': `${language}, en;q=0.5` };
    const { text } = await call('GET', `/verify/${affidavit}`, { headers });
    expect(text).toContain(`<html lang="${language}" dir="${directionOf(language)}">`);
    const said = catalogs[language];
    expect(text).toContain(`<h1>${said['verify.about.title']}</h1>`);
    expect(text).toContain(`<strong>DEVELOPMENT</strong>: ${said['verify.mark.DEVELOPMENT']}`);
    expect(text).toContain(said['verify.about.standing']);
  });

  it('returns 404 for an unknown affidavit', async () => {
    expect((await call('GET', `/verify/aff_${'0'.repeat(26)}`)).status).toBe(404);
    expect((await call('GET', '/verify/nonsense')).status).toBe(422);
  });
});
