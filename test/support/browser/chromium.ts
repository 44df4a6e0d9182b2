import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { environment } from '../../../cli/environment.ts';
import { cacheDirectory } from '../../../cli/platform/cache.ts';
import { withLock } from '../../../cli/platform/lock.ts';

const run = promisify(execFile);
const require = createRequire(import.meta.url);

export interface ChromiumProgram {
  readonly program: string;
  readonly env: Record<string, string>;
}

/**
 * Finds a Chromium that runs as root and offline, and needs only npm packages. It is unpacked once
 * per machine into our cache, with its libraries and fonts. Returns null if npm has none for the
 * machine and CHROMIUM_PATH is not set.
 */
export async function findChromium(): Promise<ChromiumProgram | null> {
  const given = environment()['CHROMIUM_PATH'];
  if (given) return { program: given, env: { HOME: cacheDirectory() } };
  if (process.platform !== 'linux' || process.arch !== 'x64') return null;
  const main = require.resolve('@sparticuz/chromium');
  const manifest = join(dirname(dirname(main)), 'package.json');
  const { version } = JSON.parse(await readFile(manifest, 'utf8')) as { version: string };
  const cache = cacheDirectory();
  const place = join(cache, `chromium-${version}`);
  const isThere = (): Promise<boolean> =>
    stat(place).then(
      () => true,
      () => false,
    );
  await withLock(
    place,
    () => undefined,
    async () => {
      if (!(await isThere())) await unpack(cache, place);
    },
  );
  return {
    program: join(place, 'chromium'),
    env: {
      HOME: place,
      LD_LIBRARY_PATH: join(place, 'al2023', 'lib'),
      FONTCONFIG_FILE: join(place, 'fonts.conf'),
    },
  };
}

/**
 * The package unpacks into its temporary directory. It gets a directory that only this process
 * uses.
 */
async function unpack(cache: string, place: string): Promise<void> {
  await mkdir(cache, { recursive: true });
  const begun = await mkdtemp(join(cache, 'chromium-'));
  try {
    const script = `import('@sparticuz/chromium').then(({default: c}) => c.executablePath())`;
    // The package adds its libraries only if it detects the system they were built for.
    const env = { TMPDIR: begun, HOME: begun, AWS_EXECUTION_ENV: '24.x' };
    await run(process.execPath, ['--input-type=module', '-e', script], {
      cwd: dirname(require.resolve('../../../package.json')),
      env,
    });
    await writeFile(join(begun, 'fonts.conf'), fontsOf(place));
    await rename(begun, place);
  } finally {
    await rm(begun, { recursive: true, force: true });
  }
}

/**
 * Adds its own fonts and those of the affidavit, so that a machine without fonts displays every
 * script.
 */
function fontsOf(place: string): string {
  const ours = ['@expo-google-fonts/noto-sans', '@expo-google-fonts/noto-sans-arabic'];
  const directories = [
    join(place, 'fonts'),
    ...ours.map((name) => dirname(require.resolve(`${name}/package.json`))),
  ];
  const rows = directories.map((path) => `<dir>${path}</dir>`).join('');
  const families = ['system-ui', 'sans-serif'].map(
    (name) => `<alias><family>${name}</family><prefer><family>Noto Sans</family></prefer></alias>`,
  );
  return `<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>${rows}<cachedir>${join(place, 'fonts-cache')}</cachedir>${families.join('')}</fontconfig>
`;
}
