import type { Ports } from '../data-directory/state.ts';
import { environment } from '../environment.ts';
import { isFree } from './ports.ts';
import { portVariables, usualPorts } from './settings.ts';

interface Part {
  readonly key: keyof Ports;
  readonly title: string;
  /** Names the part's server where it is somebody else's, whose port is not ours to choose. */
  readonly elsewhere?: string;
}

const parts: readonly Part[] = [
  { key: 'api', title: 'API' },
  { key: 'metrics', title: 'metrics of the API' },
  { key: 'worker', title: 'worker' },
  { key: 'postgres', title: 'PostgreSQL', elsewhere: 'DATABASE_ADMIN_URL' },
  { key: 'temporal', title: 'Temporal', elsewhere: 'TEMPORAL_ADDRESS' },
  { key: 'temporalUi', title: 'Temporal UI', elsewhere: 'TEMPORAL_ADDRESS' },
];

/**
 * One line about every part that is not at the port wanted of it, or not at its usual one where the
 * environment names none: why, and what brings it back. Null when there is none.
 * @param wanted what was to be tried first: what the environment names, else the ports of the last
 *   start, else the usual ones
 */
export async function movedPorts(
  wanted: Ports,
  ports: Ports,
  env = environment(),
): Promise<string | null> {
  const [said, ways]: [string[], string[]] = [[], []];
  for (const { key, title, elsewhere } of parts) {
    const [port, first, name] = [ports[key], wanted[key], portVariables[key]];
    const home = env[name] ? first : usualPorts[key];
    if ((elsewhere && env[elsewhere]) || home === 0 || port === home) continue;
    const isKept = port === first;
    const kept = `as at the last start; ${home} is ${(await isFree(home)) ? 'free' : 'taken'}`;
    said.push(`${title} at ${port} (${isKept ? kept : `${first} is taken`})`);
    ways.push(`${name}=${isKept ? home : first}`);
  }
  if (said.length === 0) return null;
  return `other ports than usual: ${said.join(', ')}; back: ${ways.join(' ')} npm start`;
}
