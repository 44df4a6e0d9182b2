import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Seed } from './seed.ts';

export interface LastCheck {
  readonly link_session_id: string;
  readonly affidavit_path: string;
  readonly verified: boolean;
}

/** What `status --json` prints: other programs drive the platform by these names. */
export interface PlatformStatus extends Seed {
  readonly base_url: string;
  readonly temporal_address: string;
  readonly temporal_namespace: string;
  readonly temporal_ui: string | null;
  readonly database_url: string;
  readonly outbox_url: string;
  readonly last_check: LastCheck | null;
}

export interface Ports {
  readonly api: number;
  readonly metrics: number;
  readonly worker: number;
  readonly postgres: number;
  readonly temporal: number;
  readonly temporalUi: number;
}

const files = { status: 'status.json', seed: 'seed.json', ports: 'ports.json', lock: 'start.pid' };
export type StateName = keyof typeof files;

/** Reads one of the state files, or null. */
export async function readState<T>(dataDir: string, name: StateName): Promise<T | null> {
  const text = await readFile(join(dataDir, files[name]), 'utf8').catch(() => null);
  return text === null ? null : (JSON.parse(text) as T);
}

/** Writes a state file whole or not at all, readable by its owner only: it holds credentials. */
export async function writeState(dataDir: string, name: StateName, value: unknown): Promise<void> {
  await mkdir(dataDir, { recursive: true });
  const path = join(dataDir, files[name]);
  await writeFile(`${path}.tmp`, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 });
  await rename(`${path}.tmp`, path);
}

export async function removeState(dataDir: string, name: StateName): Promise<void> {
  await rm(join(dataDir, files[name]), { force: true });
}

/** The process id of a start that still runs over this directory, or null. */
export async function runningStart(dataDir: string): Promise<number | null> {
  const lock = await readState<{ pid: number }>(dataDir, 'lock');
  if (!lock || lock.pid === process.pid) return null;
  const command = await readFile(`/proc/${lock.pid}/cmdline`, 'utf8').catch(() => null);
  if (command !== null) return command.includes('start') ? lock.pid : null;
  try {
    process.kill(lock.pid, 0);
    return lock.pid;
  } catch {
    return null;
  }
}
