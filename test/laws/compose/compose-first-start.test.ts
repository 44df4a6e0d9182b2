import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { parse } from 'yaml';
import { keyEnding } from '../../../activities/keys/directory/key-files.ts';
import { loadKeys } from '../../../activities/keys/directory/load-keys.ts';
import { needed } from './compose-settings.ts';

const root = new URL('../../../', import.meta.url).pathname;
const text = (path: string): string => readFileSync(join(root, path), 'utf8');
const compose = parse(text('docker-compose.yml'), { merge: true }) as {
  name: string;
  services: Record<string, { image: string; volumes?: string[] }>;
};
const directory = mkdtempSync(join(tmpdir(), 'trustcheck-compose-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

/**
 * Stands in for Docker: notes each call, and runs the command of `docker run` here with every
 * absolute path below the test's directory.
 */
const standIn = `
sudo() { "$@"; }
install() { [ "$5" = 1000 ] && command install "$1" "$2" "$3" "$HERE$6"; }
docker() {
  printf '%s\\n' "$*" >> "$HERE/calls"
  [ "$1 $2" = 'run --rm' ] || return 0
  shift 2
  given=
  while [ "$1" != "$IMAGE" ]; do
    case $1 in
      -e) case $2 in
            *=/*) given="$given \${2%%=*}=$HERE\${2#*=}" ;;
            *) given="$given $2=$(printenv "$2")" ;;
          esac ;;
      -v) printf '%s\\n' "$2" >> "$HERE/volumes"; mkdir -p "$HERE\${2#*:}" ;;
      *) return 1 ;;
    esac
    shift 2
  done
  shift
  words=()
  for word in "$@"; do case $word in /*) words+=("$HERE$word") ;; *) words+=("$word") ;; esac; done
  (cd "$ROOT" && env -i PATH="$PATH" HOME="$HOME" $given "\${words[@]}")
}
`;

it('the first start with compose creates the keys and every required variable', () => {
  const page = text('docs/operate/overview.md');
  const section = page.split(/^## /m).find((each) => each.startsWith('First start')) ?? '';
  const [, block = ''] = /^```sh\n([^]*?)^```/m.exec(section) ?? [];
  const { image = '', volumes: ofApi = [] } = compose.services['api'] ?? {};
  execFileSync('bash', ['-euc', standIn + block], {
    cwd: directory,
    env: { ...process.env, HERE: directory, ROOT: root, IMAGE: image },
  });
  const here = (path: string): string => readFileSync(join(directory, path), 'utf8');

  const calls = here('calls').trim().split('\n');
  expect(calls[0]).toBe(`build -t ${image} .`);
  expect(calls.at(-1)).toBe('compose --profile core up -d');
  const mounted = here('volumes').trim().split('\n');
  const ofKeys = compose.services['keys']?.volumes ?? [];
  expect(mounted).toEqual([
    ...ofKeys.map((volume) => `${compose.name}_${volume}`),
    '/media/offline:/offline',
  ]);
  expect(ofApi).toContain('api-keys:/data/keys:ro');

  const settings = new Map(
    here('.env')
      .trim()
      .split('\n')
      .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  );
  expect(new Set(settings.keys())).toEqual(new Set(Object.keys(needed)));
  expect([...settings].filter(([, value]) => value === '')).toEqual([]);

  const passphrase = settings.get('KEYS_PASSPHRASE') ?? '';
  expect(loadKeys({ directory: join(directory, 'data/keys'), passphrase }).next).toEqual([]);
  const keysOfApi = readdirSync(join(directory, 'data/api-keys'));
  expect(keysOfApi.filter((name) => name.endsWith(keyEnding))).toEqual([`tokens${keyEnding}`]);
  expect(readdirSync(join(directory, 'offline'))).toEqual(['root.key.pem']);
});
