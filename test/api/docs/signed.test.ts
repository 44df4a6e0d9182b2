import { execFileSync } from 'node:child_process';
import { createHash, sign } from 'node:crypto';
import { decode } from 'html-entities';
import { beforeAll, describe, expect, it } from 'vitest';
import { operations } from '../../../api/docs/operations.ts';
import { commandOf } from '../../../api/docs/reference/command.ts';
import type { Device } from '../../../simulator/device/device.ts';
import { enrolledPhone } from '../../support/checks/phone.ts';
import { proofOf } from '../../support/http/browser-keys.ts';
import { beginSession, call, newLink } from '../../support/http/client.ts';
import {
  changedBundle,
  plainParts,
  portalLogin,
  type Members,
} from '../../support/keys/bundles.ts';
import { referencePages } from '../../support/http/reference-pages.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';

const { baseUrl, own } = ownPlatform();
let page = '';
beforeAll(async () => {
  page = (await referencePages()).text;
});

/** Returns the tables of a section: names with their descriptions. */
function tablesOf(id: string): Map<string, string>[] {
  const [, rest = ''] = page.split(`<section aria-labelledby="${id}">`);
  const [passage = ''] = rest.split('</section>');
  return passage
    .split('<table>')
    .slice(1)
    .map((table) => {
      const rows = table.matchAll(/<td><code>([^<]*)<\/code><\/td>\s*<td>([^]*?)<\/td>/g);
      const plain = (cell: string) => decode(cell.replaceAll(/<[^>]+>/g, ''));
      return new Map([...rows].map(([, name = '', cell = '']) => [name, plain(cell)]));
    });
}

const sha256 = (...parts: readonly Uint8Array[]): Buffer =>
  createHash('sha256').update(Buffer.concat(parts)).digest();
const base64url = (value: unknown): string =>
  (Buffer.isBuffer(value) ? value : Buffer.from(JSON.stringify(value))).toString('base64url');

/**
 * Builds an attest header from the documentation only, without the code that makes or reads one.
 */
function writtenHeader(device: Device, path: string, body: string, nonce: string): string {
  const { attestedKeyPem: key, platform, counter } = device.save();
  const clientData = Buffer.from(
    JSON.stringify({
      iat: Math.floor(Date.now() / 1000),
      body_sha256: createHash('sha256').update(body).digest('hex'),
      path,
      method: 'POST',
      nonce,
    }),
  );
  const header = {
    v: 1,
    platform,
    device_id: device.enrolled?.deviceId,
    client_data: base64url(clientData),
    assertion: base64url(
      platform === 'android' ? sign('sha256', clientData, key) : asserted(clientData, key, counter),
    ),
  };
  return base64url(header);
}

/** Returns the CBOR map of an App Attest assertion, its two members ordered by length. */
function asserted(clientData: Uint8Array, key: string, counter: number): Buffer {
  const count = Buffer.alloc(4);
  count.writeUInt32BE(counter + 1);
  const rpId = sha256(Buffer.from('TRUSTCHECK.dev.trustcheck.app'));
  const data = Buffer.concat([rpId, Buffer.of(0x40), count]);
  const signature = sign('sha256', sha256(data, sha256(clientData)), key);
  const bytes = (value: Buffer) => Buffer.concat([Buffer.of(0x58, value.length), value]);
  const text = (value: string) =>
    Buffer.concat([Buffer.of(0x60 + value.length), Buffer.from(value)]);
  return Buffer.concat([
    Buffer.of(0xa2),
    text('signature'),
    bytes(signature),
    text('authenticatorData'),
    bytes(data),
  ]);
}

describe('the section on the attest header', () => {
  it('lists exactly the members that a phone sends', async () => {
    const device = await enrolledPhone('android');
    const path = '/v2/trust-checks/tc_1/proofs/device';
    const sent = await device.attest({ method: 'POST', path, body: '' }, 'nonce');
    const header = JSON.parse(Buffer.from(sent, 'base64url').toString()) as Members;
    const inner = Buffer.from(String(header['client_data']), 'base64url').toString();
    const [outer, clientData] = tablesOf('attest');
    expect([...(outer?.keys() ?? [])].toSorted()).toEqual(Object.keys(header).toSorted());
    const members = Object.keys(JSON.parse(inner) as Members);
    expect([...(clientData?.keys() ?? [])].toSorted()).toEqual(members.toSorted());
    const empty = createHash('sha256').digest('hex').slice(0, 8);
    expect(clientData?.get('body_sha256')).toContain(`${empty}…`);
  });

  it.each(['ios', 'android'] as const)('suffices to call as an %s phone', async (platform) => {
    const device = await enrolledPhone(platform);
    const prefer = 'handling=lenient';
    const path = `/v2/devices/${device.enrolled?.deviceId ?? ''}/certificate?a=%20b`;
    const first = await call('POST', path, {
      headers: { prefer, attest: writtenHeader(device, path, '', 'none yet') },
    });
    expect([first.status, first.body['code']]).toEqual([401, 'attest_nonce_required']);
    const nonce = first.headers.get('attest-nonce') ?? '';
    const wrong = await call('POST', path, {
      headers: { prefer, attest: writtenHeader(device, path, 'another body', nonce) },
    });
    expect([wrong.status, wrong.body['code']]).toEqual([403, 'body_mismatch']);
    const next = wrong.headers.get('attest-nonce') ?? '';
    const attest = writtenHeader(device, path, '', next);
    const headers = { prefer, attest };
    expect((await call('POST', path, { headers })).status).toBe(201);
  });

  it('states that the header is checked after the credential and before the schema', async () => {
    const device = await enrolledPhone();
    const session = await beginSession(await newLink());
    const path = `/v2/trust-checks/${session.id}/proofs/phone`;
    const attest = writtenHeader(device, path, '{"code":5}', 'none yet');
    const options = { headers: { attest }, body: { code: 5 } };
    const stranger = await call('POST', path, { ...options, token: 'no credential' });
    expect([stranger.status, stranger.headers.get('attest-nonce')]).toEqual([401, null]);
    expect(stranger.body['code']).toBe('credential_malformed');
    const unshaped = await call('POST', path, { ...options, token: session.token });
    expect([unshaped.status, unshaped.body['code']]).toEqual([401, 'attest_nonce_required']);
    expect(unshaped.headers.get('attest-nonce')).toBeTruthy();
    expect(page).toContain('after the credential and before the shape');
  });

  it('is linked from each attested operation, the command of which sends the header', () => {
    const taking = operations().filter(({ attest }) => attest);
    expect(taking.map(({ id }) => id)).toContain('devices.renew');
    for (const { id, attest } of operations()) {
      const [, rest = ''] = page.split(`<article aria-labelledby="${id}">`);
      const [article = ''] = rest.split('</article>');
      const has = [
        article.includes('href="/docs/reference/attest-header"'),
        article.includes('attest: $ATTEST'),
      ];
      expect(has, id).toEqual([attest !== null, attest !== null]);
    }
    expect(page).toMatch(
      /require it:[^]*href="\/docs\/reference\/links#links.complete"[^]*accept it:[^]*trust-checks.pair/,
    );
  });
});

describe('the command of an attested operation', () => {
  const run = (id: string, values: Readonly<Record<string, string>>, env: object): Members => {
    const operation = operations().find((each) => each.id === id);
    if (!operation) throw new Error(`no operation ${id}`);
    const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => values[name] ?? '');
    const command = `${commandOf({ ...operation, path })} -s`;
    const options = {
      encoding: 'utf8',
      env: { ...process.env, BASE_URL: baseUrl, ...env },
    } as const;
    return JSON.parse(execFileSync('bash', ['-c', command], options)) as Members;
  };

  it('succeeds with the header in ATTEST', async () => {
    const device = await enrolledPhone();
    const { deviceId: device_id = '' } = device.enrolled ?? {};
    const path = `/v2/devices/${device_id}/certificate`;
    const asked = await call('POST', path, {
      headers: { attest: writtenHeader(device, path, '', 'none yet') },
    });
    const nonce = asked.headers.get('attest-nonce') ?? '';
    const ATTEST = writtenHeader(device, path, '', nonce);
    expect(run('devices.renew', { device_id }, { ATTEST })).toMatchObject({ device_id });
  });

  it('sends no header if ATTEST is not set, as web clients need', async () => {
    const { id, token: TOKEN } = await beginSession(
      await newLink({ required_proofs: ['phone'], policy: { web_allowed: true } }),
    );
    await call('POST', `/v2/trust-checks/${id}/open`, { token: TOKEN });
    const init = { method: 'POST', headers: { authorization: `Bearer ${TOKEN}` } };
    const { dpop: DPOP } = await proofOf(`${baseUrl}/v2/trust-checks/${id}/pair`, init);
    expect(run('trust-checks.pair', { id }, { TOKEN, DPOP })).toMatchObject({ status: 'paired' });
  });
});

describe('the section on the verification bundle', () => {
  it('lists every member and whether it is required', async () => {
    const device = await enrolledPhone();
    const { header, claims } = plainParts(device);
    const [headerTable, claimsTable] = tablesOf('bundle');
    expect([...(headerTable?.keys() ?? [])].toSorted()).toEqual(Object.keys(header).toSorted());
    expect([...(claimsTable?.keys() ?? [])]).toEqual(expect.arrayContaining(Object.keys(claims)));
    const isOptional = ([, words]: [string, string]) => words.startsWith('optional');
    const without = (table: Map<string, string> | undefined): Members =>
      Object.fromEntries([...(table ?? [])].filter(isOptional).map(([name]) => [name, undefined]));
    const least = { header: without(headerTable), claims: without(claimsTable) };
    expect((await portalLogin(changedBundle(device, least))).status).toBe(200);
    for (const [part, table] of [
      ['header', headerTable],
      ['claims', claimsTable],
    ] as const) {
      for (const [name] of [...(table ?? [])].filter((row) => !isOptional(row))) {
        const changes = { ...least, [part]: { ...least[part], [name]: undefined } };
        const answer = await portalLogin(changedBundle(device, changes));
        expect([answer.status, answer.body['code']], name).toEqual([401, 'credential_invalid']);
      }
    }
  });

  it('lists the audiences: the platform, an app, an account', async () => {
    const device = await enrolledPhone();
    const words = tablesOf('bundle')[1]?.get('aud') ?? '';
    for (const place of ['', `/apps/${own.app_id}`]) {
      expect(words).toContain(`{base_url}${place.replace(own.app_id, '{app_id}')}`);
      const claims = { aud: `${baseUrl}${place}` };
      expect((await portalLogin(changedBundle(device, { claims }))).status).toBe(200);
    }
  });

  it('is linked from the operations that accept a bundle', () => {
    for (const id of ['session.portalLogin', 'session.token']) {
      const [, rest = ''] = page.split(`<article aria-labelledby="${id}">`);
      expect(rest.split('</article>')[0]).toContain('href="/docs/reference/verification-bundle"');
    }
  });
});
