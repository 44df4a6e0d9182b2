import { spawn } from 'node:child_process';
import { access, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { environment } from '../../api/config.ts';
import { cacheDirectory } from './cache.ts';
import { buildWithGo } from './go.ts';
import { freePort } from './ports.ts';
import { stopProcess, waitUntil } from './processes.ts';

export interface RunningS3 {
  readonly endpoint: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  stop(): Promise<void>;
}

/** Starts a real S3 server over a directory. Throws when the program can neither be found nor built. */
export async function startVersitygw(
  directory: string,
  say: (line: string) => void,
): Promise<RunningS3> {
  const cached = join(cacheDirectory(), 'bin', 'versitygw');
  const program = await access(cached).then(
    () => cached,
    () =>
      buildWithGo({
        name: 'versitygw',
        goPackage: 'github.com/versity/versitygw/cmd/versitygw@latest',
        minutes: 1,
        say,
      }),
  );
  await mkdir(directory, { recursive: true });
  const port = await freePort();
  const [accessKeyId, secretAccessKey] = ['test-access-key', 'test-secret-key-0123456789'];
  const child = spawn(program, ['--port', `127.0.0.1:${port}`, 'posix', directory], {
    stdio: 'ignore',
    env: {
      ...environment(),
      ROOT_ACCESS_KEY: accessKeyId,
      ROOT_SECRET_KEY: secretAccessKey,
    },
  });
  child.on('error', () => undefined);
  const endpoint = `http://127.0.0.1:${port}`;
  await waitUntil(
    () => listens(endpoint),
    15_000,
    () => child.exitCode !== null,
  );
  return { endpoint, accessKeyId, secretAccessKey, stop: () => stopProcess(child, 'SIGTERM') };
}

/** Any answer will do: an anonymous request is refused, and that is an answer. */
async function listens(endpoint: string): Promise<boolean> {
  return fetch(endpoint, { signal: AbortSignal.timeout(1_000) }).then(
    async (response) => {
      await response.body?.cancel();
      return true;
    },
    () => false,
  );
}
