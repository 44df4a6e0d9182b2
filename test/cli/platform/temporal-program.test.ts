import { spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { downloadTemporal } from '../../../cli/platform/download.ts';
import { buildWithGo } from '../../../cli/platform/go.ts';
import { beginningOf } from '../../../cli/platform/identity.ts';
import {
  faultOfGetting,
  findTemporal,
  type ProgramSources,
} from '../../../cli/platform/temporal-program.ts';
import { ownDirectory, ownProcesses } from '../../support/commands/run-command.ts';
import { eventually } from '../../support/platform/harness.ts';
import {
  archiveOf,
  contentOf,
  startArchive,
  type Archive,
} from '../../support/stand-ins/phones/archive.ts';

const getter = new URL('get-program.ts', import.meta.url).pathname;
const processes = ownProcesses();
const [good, old] = ['temporal version 1.5.1 (Server 1.29.1, UI 2.42.1)', '(Server 1.25.9)'];
let directory = { path: '', remove: async (): Promise<void> => undefined };
let archive: Archive | null = null;
let said: string[] = [];

beforeEach(async () => {
  directory = await ownDirectory();
  said = [];
});
afterEach(async () => {
  await archive?.stop();
  archive = null;
  processes.end();
  await directory.remove();
});

const place = (name: string): string => join(directory.path, name);
const cache = (): string => place('cache');
const say = (line: string): void => void said.push(line);

/** Puts a program that is a script into a directory of a path. */
function script(where: string, name: string, lines: string): string {
  mkdirSync(place(where), { recursive: true });
  const path = join(place(where), name);
  writeFileSync(path, `#!/bin/sh\n${lines}\n`);
  chmodSync(path, 0o755);
  return path;
}

/** Go, as far as it is asked: it says its version, and installs a program where GOBIN says. */
function go(more = ''): void {
  const install = `
    echo "$2 CGO_ENABLED=$CGO_ENABLED" >> ${place('installs')}
    printf 'half' > "$GOBIN/\${2##*/}.part"; name="\${2##*/}"; name="\${name%@*}"
    ${more}
    printf '#!/bin/sh\\n' > "$GOBIN/$name"; chmod +x "$GOBIN/$name"`;
  script('go', 'go', `case "$1" in version) echo go1.25 ;; install) ${install} ;; esac`);
}

const path = (...names: string[]): string => [...names.map(place), '/usr/bin', '/bin'].join(':');
const nowhere = 'http://127.0.0.1:1/cli/archive';
const find = (more: Partial<ProgramSources> = {}): Promise<string> =>
  findTemporal({ path: path('empty'), cache: cache(), downloadUrl: nowhere, say, ...more });
/** What the cache holds besides programs. */
const left = (): string[] => readdirSync(cache()).filter((name) => name !== 'bin');

async function serve(answer: (reply: ServerResponse) => void): Promise<string> {
  archive = await startArchive(answer);
  return archive.url;
}

describe('the program of the workflow server', () => {
  it('on the PATH comes first, unless its server is too old or says nothing', async () => {
    script('old', 'temporal', `echo '${old}'`);
    script('mute', 'temporal', 'exit 1');
    const newest = script('new', 'temporal', `echo '${good}'`);
    expect(await find({ path: path('old', 'mute', 'new') })).toBe(newest);
    expect(said).toEqual([
      `${place('old/temporal')} is passed over: server 1.25.9, needed 1.26`,
      `${place('mute/temporal')} is passed over: server unknown, needed 1.26`,
    ]);
  });

  it('in our cache comes second: nothing is asked for', async () => {
    const cached = script('cache/bin', 'temporal', `echo '${good}'`);
    const downloadUrl = await serve((reply) => reply.writeHead(500).end());
    expect(await find({ downloadUrl })).toBe(cached);
    expect(archive?.requests).toEqual([]);
  });

  it('is downloaded third, of the pinned version, for this machine', async () => {
    const tar = archiveOf(place('tar'), '#!/bin/sh\n');
    const downloadUrl = await serve((reply) => reply.end(tar));
    expect(await find({ downloadUrl })).toBe(join(cache(), 'bin', 'temporal'));
    const arch = process.arch === 'x64' ? 'amd64' : process.arch;
    expect(archive?.requests).toEqual([
      `GET /cli/archive/v1.5.1?platform=${process.platform}&arch=${arch}`,
    ]);
    expect(contentOf(join(cache(), 'bin', 'temporal'))).toBe('#!/bin/sh\n');
    expect(said.join()).toMatch(/downloading.*once a machine.*kept in .*cache\/bin/);
    expect(left()).toEqual([]);
    await find({ downloadUrl });
    expect(archive?.requests).toHaveLength(1);
  });

  const faults: [string, (reply: ServerResponse) => void][] = [
    ['is refused', (reply) => reply.writeHead(403).end('no')],
    ['is no archive', (reply) => reply.end('<html>sign in</html>')],
    ['is cut short', (reply) => reply.end(archiveOf(place('tar'), '').subarray(0, 20))],
    ['holds another program', (reply) => reply.end(archiveOf(place('tar'), '', 'other'))],
    ['breaks off', (reply) => reply.writeHead(200).write('x', () => reply.destroy())],
    ['does not come to its end', (reply) => void reply.writeHead(200).write('x')],
  ];
  it.each(faults)('whose download %s is built with Go', async (_, answer) => {
    go();
    const downloadUrl = await serve(answer);
    const found = await find({ path: path('go'), downloadUrl, downloadMsMax: 300 });
    expect(found).toBe(join(cache(), 'bin', 'temporal'));
    expect(contentOf(place('installs'))).toBe(
      'github.com/temporalio/cli/cmd/temporal@v1.5.1 CGO_ENABLED=0\n',
    );
    expect(said.join('\n')).toMatch(
      /cannot be downloaded: .*\nbuilding temporal.*5 min.*once a machine.*cache\/bin/,
    );
    expect(left()).toEqual([]);
  });

  it('that cannot be had at all: one line with the ways out', async () => {
    await expect(find({ path: place('empty') })).rejects.toThrow(
      /^temporal cannot be built \(Go is not on the PATH\): put temporal on the PATH, or Go to build .*@v1\.5\.1$/,
    );
    go('echo "no such module" >&2; exit 1');
    await expect(find({ path: path('go') })).rejects.toThrow('cannot be built (no such module)');
    expect(left()).toEqual([]);
  });

  it('is known beforehand not to be had: no Go, and a download that does not answer', async () => {
    const fault = /^no download \((.+)\), and Go is not on the PATH: put temporal on the PATH, or/;
    expect(await faultOfGetting({ path: path('empty'), downloadUrl: nowhere })).toMatch(fault);
    let status = 403;
    const downloadUrl = await serve((reply) => reply.writeHead(status).end('some'));
    const [, why] = fault.exec(String(await faultOfGetting({ path: path(), downloadUrl }))) ?? [];
    expect(why).toBe('answer 403');
    status = 200;
    expect(await faultOfGetting({ path: path(), downloadUrl })).toBeNull();
    go();
    expect(await faultOfGetting({ path: path('go'), downloadUrl: nowhere })).toBeNull();
    expect(existsSync(place('installs'))).toBe(false);
  });

  it('is built once when several start at once; the others say whom they wait for', async () => {
    go('sleep 1');
    const found = await Promise.all(Array.from({ length: 4 }, () => find({ path: path('go') })));
    expect(new Set(found)).toEqual(new Set([join(cache(), 'bin', 'temporal')]));
    expect(contentOf(place('installs'))?.match(/\n/g)).toHaveLength(1);
    const waiting = `process ${process.pid} is getting temporal already; waiting for it`;
    expect(said.filter((line) => line === waiting)).toHaveLength(3);
  });

  it('leaves nothing when the build is interrupted, Go itself included', async () => {
    go(`echo $$ > ${place('pid')}; exec sleep 600`);
    const stop = new AbortController();
    const finding = find({ path: path('go'), signal: stop.signal });
    const pid = await eventually('the build', async () => Number(contentOf(place('pid'))));
    processes.note(pid);
    stop.abort(new Error('enough'));
    await expect(finding).rejects.toThrow('enough');
    expect(beginningOf(pid)).toBeNull();
    expect(left()).toEqual([]);
    expect(readdirSync(join(cache(), 'bin'))).toEqual([]);
  });

  it('is built anew after a kill amid the build; what was left is ended and cleared', async () => {
    go(`echo $$ > ${place('pid')}; test -e ${place('again')} || exec sleep 600`);
    const run = () => {
      const child = spawn(process.execPath, [getter, cache(), path('go')], { stdio: 'pipe' });
      processes.note(child.pid);
      return child;
    };
    const first = run();
    const pid = await eventually('the build', async () => Number(contentOf(place('pid'))));
    processes.note(pid);
    const ledger = join(cache(), 'tool.lock');
    await eventually('its record', async () => contentOf(ledger)?.includes(`"pid": ${pid},`));
    const ended = new Promise((resolve) => first.once('exit', resolve));
    first.kill('SIGKILL');
    await ended;
    expect(beginningOf(pid)).not.toBeNull();
    expect(existsSync(join(cache(), 'bin', 'tool'))).toBe(false);
    writeFileSync(place('again'), '');
    const second = run();
    const code = await new Promise((resolve) => second.once('exit', resolve));
    expect(code).toBe(0);
    // It was told to end; that it is gone shows once whoever began it has taken note.
    await eventually('the end of what was left', async () => beginningOf(pid) === null);
    expect(readdirSync(join(cache(), 'bin'))).toEqual(['tool']);
    expect(left()).toEqual([]);
  });
});

describe.runIf(process.platform === 'linux')('a cache that can never be made', () => {
  const cache = '/proc/x/trustcheck';

  it('is named in one line', async () => {
    await expect(find({ cache, path: path('empty') })).rejects.toThrow(
      /^temporal cannot be kept in \/proc\/x\/trustcheck \(.+\)$/,
    );
  });

  it('is no place for a download', async () => {
    expect(await downloadTemporal({ cache, version: '1.5.1', url: nowhere, say })).toBeNull();
    expect(said.join()).toMatch(/cannot be downloaded: .*mkdir '\/proc\/x'/);
  });

  it('is no place for a build', async () => {
    go();
    const build = { name: 'temporal', goPackage: 'temporal@v1', minutes: 1, cache, say };
    await expect(buildWithGo({ ...build, path: path('go') })).rejects.toThrow(
      /temporal cannot be built \(.*mkdir '\/proc\/x'.*\)/,
    );
    expect(existsSync(place('installs'))).toBe(false);
  });
});
