import { chmodSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { beginningOf } from '../../../cli/platform/identity.ts';
import {
  faultOfGetting,
  findTemporal,
  getProgram,
} from '../../../cli/platform/temporal-program.ts';
import { ownDirectory, ownProcesses } from '../../support/commands/run-command.ts';
import { eventually } from '../../support/platform/harness.ts';
import {
  archiveOf,
  contentOf,
  startArchive,
  type Archive,
} from '../../support/stand-ins/phones/archive.ts';

const processes = ownProcesses();
const [good, old] = ['temporal version 1.5.1 (Server 1.29.1, UI 2.42.1)', '(Server 1.25.9)'];
let directory = { path: '', remove: async (): Promise<void> => undefined };
let archive: Archive | null = null;
let said: string[] = [];

beforeEach(async () => {
  directory = await ownDirectory();
  said = [];
  vi.stubEnv('XDG_CACHE_HOME', directory.path);
  vi.stubEnv('PATH', path('empty'));
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await archive?.stop();
  archive = null;
  processes.end();
  await directory.remove();
});

const place = (name: string): string => join(directory.path, name);
const cache = (): string => place('trustcheck');
const say = (line: string): void => void said.push(line);

/** Writes a script as a program into a directory of the PATH. */
function script(where: string, name: string, lines: string): string {
  mkdirSync(place(where), { recursive: true });
  const path = join(place(where), name);
  writeFileSync(path, `#!/bin/sh\n${lines}\n`);
  chmodSync(path, 0o755);
  return path;
}

/** Writes a stand-in for Go that prints its version and installs a program into GOBIN. */
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
interface Finding {
  readonly path?: string;
  readonly downloadUrl?: string;
  readonly signal?: AbortSignal;
}
const find = ({ path: on, downloadUrl = nowhere, signal }: Finding = {}): Promise<string> => {
  if (on) vi.stubEnv('PATH', on);
  return findTemporal({ say, signal }, downloadUrl);
};
/** Returns the entries of the cache other than programs. */
const left = (): string[] => readdirSync(cache()).filter((name) => name !== 'bin');

async function serve(answer: (reply: ServerResponse) => void): Promise<string> {
  archive = await startArchive(answer);
  return archive.url;
}

describe('the Temporal program', () => {
  it('is taken from the PATH first, unless its server is too old or prints no version', async () => {
    script('old', 'temporal', `echo '${old}'`);
    script('mute', 'temporal', 'exit 1');
    const newest = script('new', 'temporal', `echo '${good}'`);
    expect(await find({ path: path('old', 'mute', 'new') })).toBe(newest);
    expect(said).toEqual([
      `${place('old/temporal')} is passed over: server 1.25.9, needed 1.26`,
      `${place('mute/temporal')} is passed over: server unknown, needed 1.26`,
    ]);
  });

  it('is taken from our cache second, without a download', async () => {
    const cached = script('trustcheck/bin', 'temporal', `echo '${good}'`);
    const downloadUrl = await serve((reply) => reply.writeHead(500).end());
    expect(await find({ downloadUrl })).toBe(cached);
    expect(archive?.requests).toEqual([]);
  });

  it('is downloaded third, in the pinned version for this machine', async () => {
    const tar = archiveOf(place('tar'), '#!/bin/sh\n');
    const downloadUrl = await serve((reply) => reply.end(tar));
    expect(await find({ downloadUrl })).toBe(join(cache(), 'bin', 'temporal'));
    const arch = process.arch === 'x64' ? 'amd64' : process.arch;
    expect(archive?.requests).toEqual([
      `GET /cli/archive/v1.5.1?platform=${process.platform}&arch=${arch}`,
    ]);
    expect(contentOf(join(cache(), 'bin', 'temporal'))).toBe('#!/bin/sh\n');
    expect(said.join()).toMatch(/downloading.*once a machine/);
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
  ];
  it.each(faults)('is built with Go when its download %s', async (_, answer) => {
    go();
    const downloadUrl = await serve(answer);
    const found = await find({ path: path('go'), downloadUrl });
    expect(found).toBe(join(cache(), 'bin', 'temporal'));
    expect(contentOf(place('installs'))).toBe(
      'github.com/temporalio/cli/cmd/temporal@v1.5.1 CGO_ENABLED=0\n',
    );
    expect(said.join('\n')).toMatch(
      /cannot be downloaded: .*\nbuilding temporal.*5 min.*once a machine/,
    );
    expect(left()).toEqual([]);
  });

  it('fails with one line of remedies when it cannot be obtained', async () => {
    await expect(find({ path: place('empty') })).rejects.toThrow(
      /^temporal cannot be built \(go is not on the PATH\): put temporal on the PATH, or Go to build .*@v1\.5\.1$/,
    );
    go('echo "no such module" >&2; exit 1');
    await expect(find({ path: path('go') })).rejects.toThrow('cannot be built (no such module)');
    expect(left()).toEqual([]);
  });

  it('is reported as unobtainable in advance, without Go and without a download', async () => {
    const fault = /^no download \((.+)\), and Go is not on the PATH: put temporal on the PATH, or/;
    expect(await faultOfGetting(nowhere)).toMatch(fault);
    let status = 403;
    const downloadUrl = await serve((reply) => reply.writeHead(status).end('some'));
    const [, why] = fault.exec(String(await faultOfGetting(downloadUrl))) ?? [];
    expect(why).toBe('answer 403');
    status = 200;
    expect(await faultOfGetting(downloadUrl)).toBeNull();
    go();
    vi.stubEnv('PATH', path('go'));
    expect(await faultOfGetting(nowhere)).toBeNull();
    expect(existsSync(place('installs'))).toBe(false);
  });

  it('is built once by concurrent starts, and the others name the process they wait for', async () => {
    go('sleep 1');
    const found = await Promise.all(Array.from({ length: 4 }, () => find({ path: path('go') })));
    expect(new Set(found)).toEqual(new Set([join(cache(), 'bin', 'temporal')]));
    expect(contentOf(place('installs'))?.match(/\n/g)).toHaveLength(1);
    const waiting = `process ${process.pid} is getting temporal already; waiting for it`;
    expect(said.filter((line) => line === waiting)).toHaveLength(3);
  });

  it('leaves nothing when its build is interrupted, and Go is stopped', async () => {
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

  it('is rebuilt after a killed build, without leftovers', async () => {
    mkdirSync(join(cache(), 'temporal.draft'), { recursive: true });
    writeFileSync(join(cache(), 'temporal.draft', 'temporal'), 'half');
    go();
    const found = await find({ path: path('go') });
    expect(contentOf(found)).toBe('#!/bin/sh\n');
    expect(left()).toEqual([]);
  });

  it.runIf(process.platform === 'linux')(
    'names a cache directory that can never be created',
    async () => {
      go();
      vi.stubEnv('XDG_CACHE_HOME', '/proc/x');
      const get = () => Promise.reject(new Error('got'));
      await expect(getProgram('tool', { say }, get)).rejects.toThrow(
        /^tool cannot be kept in \/proc\/x\/trustcheck \(.+\); set XDG_CACHE_HOME$/s,
      );
      expect(existsSync(place('installs'))).toBe(false);
    },
  );
});
