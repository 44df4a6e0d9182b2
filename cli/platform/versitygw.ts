import { mkdir } from 'node:fs/promises';
import { environment } from '../environment.ts';
import { getWithGo } from './go.ts';
import { freePort } from './ports.ts';
import { hasEnded, launch, stopProcess, tailOf, waitUntil } from './processes.ts';

export interface RunningS3 {
  readonly endpoint: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  stop(): Promise<void>;
}

const startMsMax = 15_000;

/**
 * Starts a real S3 server over a directory; with a place for them it can keep versions. Throws when
 * the program can neither be found nor built.
 */
export async function startVersitygw(
  directory: string,
  say: (line: string) => void,
  versionsDirectory?: string,
): Promise<RunningS3> {
  const program = await getWithGo({
    name: 'versitygw',
    goPackage: 'github.com/versity/versitygw/cmd/versitygw@latest',
    minutes: 1,
    say,
  });
  await mkdir(directory, { recursive: true });
  if (versionsDirectory) await mkdir(versionsDirectory, { recursive: true });
  const versions = versionsDirectory ? ['--versioning-dir', versionsDirectory] : [];
  const port = await freePort();
  const [accessKeyId, secretAccessKey] = ['test-access-key', 'test-secret-key-0123456789'];
  const logFile = `${directory}.log`;
  const child = launch({
    name: 'versitygw',
    program,
    flags: ['--port', `127.0.0.1:${port}`, 'posix', ...versions, directory],
    logFile,
    env: { ...environment(), ROOT_ACCESS_KEY: accessKeyId, ROOT_SECRET_KEY: secretAccessKey },
  });
  const endpoint = `http://127.0.0.1:${port}`;
  try {
    await waitUntil(
      () => listens(endpoint),
      startMsMax,
      () => hasEnded(child),
    );
  } catch (cause) {
    await stopProcess(child, 'SIGKILL');
    throw new Error(`the S3 server did not start:\n${tailOf(logFile)}`, { cause });
  }
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
