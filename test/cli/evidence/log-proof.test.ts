import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { signLogCheckpoint } from '../../../domain/transparency/checkpoint.ts';
import { openCheckpoint } from '../../../domain/transparency/judge-proof.ts';
import { createLogSigner } from '../../../domain/transparency/log-signer.ts';
import { emptyRoot } from '../../../domain/transparency/merkle.ts';
import { encodeNoteKey } from '../../../domain/transparency/note.ts';
import { commandHere } from '../../support/commands/command-here.ts';
import { ownDirectory } from '../../support/commands/run-command.ts';
import { call, passedSession, withAffidavit } from '../../support/http/client.ts';
import { platformKeys } from '../../support/keys/bundles.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';

const { baseUrl, dataDir, own } = ownPlatform();
const directory = await ownDirectory();
afterAll(() => directory.remove());
const place = (name: string): string => join(directory.path, name);
const root = join(dataDir, 'keys', 'root.cer.pem');
const secret = platformKeys().secret('transparency-log');
const signer = createLogSigner(secret, `${baseUrl.replace('http://', '')}/log`);
const logKey = encodeNoteKey(signer.key);
const otherKey = encodeNoteKey(createLogSigner(secret, 'another.example/log').key);

const verify = async (...words: string[]) => {
  const { code, stdout, stderr } = await commandHere(place('state'), [
    'verify',
    place('affidavit.pdf'),
    '--root',
    root,
    '--proof',
    place('affidavit.tlog-proof'),
    ...words,
  ]);
  return { code, stderr, lines: stdout.trimEnd().split('\n') };
};

describe('verify --proof', () => {
  it('compares an affidavit with the trusted log, offline', async () => {
    const session = await passedSession();
    const done = await withAffidavit(session);
    const { affidavit_id: id } = done.body['affidavit'] as Record<string, string>;
    const path = `/v2/affidavits/${own.app_id}/${session.id}/download`;
    const { headers } = await call('GET', path, { token: own.api_key });
    const pdf = await fetch(headers.get('location') ?? '');
    writeFileSync(place('affidavit.pdf'), Buffer.from(await pdf.arrayBuffer()));
    const proof = await call('GET', `/log/proof/${id}`);
    writeFileSync(place('affidavit.tlog-proof'), proof.text);
    const good = await verify('--log-key', logKey);
    expect([good.code, good.stderr, good.lines.at(-1)]).toEqual([0, '', 'valid (DEVELOPMENT)']);
    expect(good.lines).toContain('  ✓ log');
    // The sealed content names the log.
    const named = await verify();
    expect([named.code, named.stderr, named.lines.at(-1)]).toEqual([0, '', 'valid (DEVELOPMENT)']);
    expect(named.lines).toContain('  ✓ log');
    expect(named.lines).toContain('log: key in the file, because --log-key was not given');

    // The current CRLs, from the addresses in the certificates.
    const { servicesCa, root: anchor } = platformKeys();
    const lists: string[] = [];
    for (const { kid } of [servicesCa, anchor]) {
      const list = await fetch(`${baseUrl}/pki/${kid}.crl`);
      writeFileSync(place(`${kid}.crl`), Buffer.from(await list.arrayBuffer()));
      lists.push('--crl', place(`${kid}.crl`));
    }
    const listed = await verify('--log-key', logKey, ...lists);
    expect([listed.code, listed.stderr]).toEqual([0, '']);
    expect(listed.lines).toContain('  ✓ standing');
    const half = await verify('--log-key', logKey, ...lists.slice(2));
    expect([half.code, half.lines.at(-1)]).toEqual([3, 'indeterminate: revocation_unknown']);

    const foreign = await verify('--log-key', otherKey);
    expect([foreign.code, foreign.lines.at(-1)]).toEqual([2, 'invalid: log_foreign']);
    expect(foreign.lines).toContain('  ✗ log (log_foreign)');

    const later = { size: 2 ** 40, root: Buffer.alloc(32) };
    writeFileSync(place('later'), await signLogCheckpoint(signer, later));
    const old = await verify('--log-key', logKey, '--log-checkpoint', place('later'));
    expect([old.code, old.lines.at(-1)]).toEqual([2, 'invalid: log_downgraded']);

    const growth = (known: string) =>
      verify(
        '--log-key',
        logKey,
        '--log-checkpoint',
        place(known),
        '--log-tiles',
        `${baseUrl}/log`,
      );
    writeFileSync(place('empty'), await signLogCheckpoint(signer, { size: 0, root: emptyRoot }));
    expect((await growth('empty')).code).toBe(0);
    const forked = { size: 1, root: Buffer.alloc(32) };
    writeFileSync(place('other'), await signLogCheckpoint(signer, forked));
    const another = await growth('other');
    expect([another.code, another.lines.at(-1)]).toEqual([2, 'invalid: log_forked']);
    const noTiles = await growth('later');
    expect([noTiles.code, noTiles.stderr]).toEqual([
      1,
      expect.stringMatching(/^there is no tile .*\n$/),
    ]);

    const unseen = await verify('--log-key', logKey, '--witness-key', otherKey);
    expect([unseen.code, unseen.lines.at(-1)]).toEqual([2, 'invalid: log_witness']);

    const untrusted = await verify('--log-key', logKey, '--at', '2000-01-01T00:00:00Z');
    expect(untrusted.code).toBe(3);

    writeFileSync(place('affidavit.pdf'), 'no PDF');
    const none = await verify('--log-key', logKey);
    expect([none.code, none.lines.at(-1)]).toEqual([2, 'invalid: not_an_affidavit']);
    expect(none.lines.find((line) => line.includes(' log'))).toContain('–');
    // The test runs about fifteen commands of several seconds each.
  }, 240_000);

  it.each([
    ['no log', [], 'no trusted log: give its key with --log-key\n'],
    ['a malformed key', ['--log-key', 'x'], '--log-key x: malformed key (name+id+key)\n'],
    ['a missing proof', ['--log-key', logKey, '--proof', 'none'], 'none: does not exist\n'],
    [
      'a checkpoint of another log',
      ['--log-key', otherKey, '--log-checkpoint', place('later')],
      `${place('later')}: not a checkpoint of the log\n`,
    ],
    [
      'tiles without a checkpoint',
      ['--log-key', logKey, '--log-tiles', '.'],
      '--log-tiles needs a checkpoint: give one with --log-checkpoint\n',
    ],
  ])('exits 1 with one line for %s', async (_what, words, fault) => {
    // A sealed affidavit would name a log.
    writeFileSync(place('affidavit.pdf'), 'no PDF');
    const { code, stderr, lines } = await verify(...words);
    expect([code, stderr, lines]).toEqual([1, fault, ['']]);
  });
});

describe('log consistency', () => {
  const consistency = async (from: string, to: string, tiles: string) => {
    const words = ['log', 'consistency', '--from', place(from), '--to', place(to)];
    const flags = ['--tiles', tiles, '--log-key', logKey];
    const { code, stdout, stderr } = await commandHere(place('state'), [...words, ...flags]);
    return [code, stdout, stderr];
  };

  it('uses tiles to verify that a log continues from an older checkpoint', async () => {
    const at = `${baseUrl}/log`;
    const { text: first } = await call('GET', '/log/checkpoint');
    const head = openCheckpoint(first, signer.key);
    const { size } = head ?? { size: 0 };
    writeFileSync(place('first'), first);
    const session = await passedSession();
    await withAffidavit(session);
    const { text } = await call('GET', '/log/checkpoint');
    writeFileSync(place('second'), text);
    const { size: later = 0 } = openCheckpoint(text, signer.key) ?? {};
    expect(later).toBeGreaterThan(size);
    const said = (how: string): string => `the log of ${later} entries ${how} of ${size}`;
    expect(await consistency('first', 'second', at)).toEqual([
      0,
      `${said('goes on from that')}\n`,
      '',
    ]);
    const forked = { size, root: Buffer.alloc(32, 1) };
    writeFileSync(place('forked'), await signLogCheckpoint(signer, forked));
    expect(await consistency('forked', 'second', at)).toEqual([
      2,
      `${said('does not go on from that')}: log_forked\n`,
      '',
    ]);
    expect(await consistency('second', 'first', at)).toEqual([
      1,
      '',
      '--from is later than --to\n',
    ]);
    expect(await consistency('first', 'forked', at)).toEqual([
      1,
      '',
      'the tiles are not those of the checkpoint\n',
    ]);
    const [none, , fault] = await consistency('first', 'second', place('nowhere'));
    expect([none, fault]).toEqual([1, expect.stringMatching(/^there is no tile .*\n$/)]);
    const [away, , why] = await consistency('first', 'second', 'http://127.0.0.1:1/log');
    expect([away, why]).toEqual([1, expect.stringMatching(/gives no tile\n$/)]);
  });
});

describe('keys log', () => {
  it('prints the key of the local log, or says that there is none', async () => {
    const none = await commandHere(place('empty'), ['keys', 'log']);
    expect([none.code, none.stdout, none.stderr]).toEqual([
      1,
      '',
      'there is no log here yet; the first npm start makes it\n',
    ]);
    const settings = { BASE_URL: baseUrl };
    const { code, stdout } = await commandHere(dataDir, ['keys', 'log'], settings);
    expect([code, stdout]).toEqual([0, `${logKey}\n`]);
  });
});
