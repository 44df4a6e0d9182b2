import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The members of a V8 CPU profile that are read: call nodes, and the node of each sample. */
export interface CpuProfile {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: { readonly functionName: string; readonly url: string; lineNumber: number };
  }[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

export interface ProfileEntry {
  readonly where: string;
  readonly ms: number;
  /** Fraction of the time in which the process was not idle. */
  readonly part: number;
}

const idle = '(idle)';

/** Returns the functions with the highest own time, highest first. */
export function topOf(profile: CpuProfile, count: number): ProfileEntry[] {
  const names = new Map(
    profile.nodes.map(({ id, callFrame }) => {
      const file = callFrame.url.replace(/^.*\/node_modules\//, '').replace(/^file:\/\/\/?/, '');
      const name = callFrame.functionName || '(anonymous)';
      return [id, file ? `${name} ${file}:${callFrame.lineNumber + 1}` : name];
    }),
  );
  const spent = new Map<string, number>();
  profile.samples.forEach((id, index) => {
    const name = names.get(id) ?? '(unknown)';
    const us = profile.timeDeltas[index] ?? 0;
    spent.set(name, (spent.get(name) ?? 0) + us / 1000);
  });
  spent.delete(idle);
  const totalMs = [...spent.values()].reduce((sum, ms) => sum + ms, 0);
  return [...spent]
    .map(([where, ms]) => ({ where, ms, part: ms / totalMs }))
    .sort((a, b) => b.ms - a.ms)
    .slice(0, count);
}

/** Reads every profile of a folder, and returns its top entries as lines. */
export async function profileLines(directory: string, count: number): Promise<string[]> {
  const files = (await readdir(directory)).filter((name) => name.endsWith('.cpuprofile'));
  const lines: string[] = [];
  for (const file of files.sort()) {
    const profile = JSON.parse(await readFile(join(directory, file), 'utf8')) as CpuProfile;
    lines.push(`profile ${join(directory, file)}`);
    for (const { where, ms, part } of topOf(profile, count)) {
      const [share, spent] = [(part * 100).toFixed(1), ms.toFixed(0)];
      lines.push(`  ${share.padStart(5)} %  ${spent.padStart(6)} ms  ${where}`);
    }
  }
  return lines;
}
