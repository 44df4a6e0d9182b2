import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Seed } from './seed.ts';

export interface LastCheck {
  readonly link_session_id: string;
  readonly affidavit_path: string;
  readonly verified: boolean;
}

/** Output of `status --secrets --json`. Other programs rely on these names. */
export interface PlatformStatus extends Seed {
  readonly base_url: string;
  readonly temporal_address: string;
  readonly temporal_namespace: string;
  readonly temporal_ui: string | null;
  readonly database_url: string;
  readonly outbox_url: string;
  /** A link for a check that a person completes in a browser. */
  readonly try_link_url: string;
  /** Decrypts workflow payloads. docs/operate/temporal.md has the command of the Temporal CLI. */
  readonly codec_operator_token: string;
  readonly last_check: LastCheck | null;
}

/** Ports of the last start; the next start tries them first. */
export interface Ports {
  readonly api: number;
  readonly metrics: number;
  readonly worker: number;
  readonly postgres: number;
  readonly temporal: number;
  readonly temporalUi: number;
}

interface States {
  readonly status: PlatformStatus;
  readonly seed: Seed;
  readonly ports: Ports;
}

/** Reads one of the state files; null if it does not exist. */
export async function readState<Name extends keyof States>(
  dataDir: string,
  name: Name,
): Promise<States[Name] | null> {
  const path = join(dataDir, `${name}.json`);
  const text = await readFile(path, 'utf8').catch(() => null);
  if (text === null) return null;
  try {
    return JSON.parse(text) as States[Name];
  } catch (cause) {
    throw new Error(`${path} is not JSON: remove it, or run npm run reset`, { cause });
  }
}

/** Writes a state file atomically. Only its owner can read it, because it contains credentials. */
export async function writeState<Name extends keyof States>(
  dataDir: string,
  name: Name,
  value: States[Name],
): Promise<void> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const path = join(dataDir, `${name}.json`);
  await writeFile(`${path}.tmp`, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 });
  await rename(`${path}.tmp`, path);
}
