import type { CampaignOptions, Outcome } from './campaign.ts';
import { neverGood } from './golden/golden.ts';

const share = (part: number, whole: number): string => `${((100 * part) / whole).toFixed(1)} %`;

const byName = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number =>
  a < b ? -1 : 1;

/** Formats the outcome of a campaign: the shares of the answers, then the faults. */
export function reportOf(outcome: Outcome, { seed }: CampaignOptions): string {
  const { tally, sent, findings, unreached } = outcome;
  const classes = new Map<string, number>();
  const lines = [...tally].toSorted(byName).map(([id, statuses]) => {
    const counts = [...statuses].toSorted(([a], [b]) => a - b);
    for (const [status, count] of counts) {
      const name = `${Math.floor(status / 100)}xx`;
      classes.set(name, (classes.get(name) ?? 0) + count);
    }
    const all = counts.reduce((sum, [, count]) => sum + count, 0);
    const told = counts.map(([status, count]) => `${status}×${count}`).join(' ');
    return `${id.padEnd(36)} ${String(all).padStart(6)}  ${told}`;
  });
  const shares = [...classes]
    .toSorted(byName)
    .map(([name, count]) => `${name} ${share(count, sent)}`);
  return [
    ...lines,
    ...Object.entries(neverGood).map(([id, reason]) => `${id}: no success, ${reason}`),
    ...unreached,
    ...findings.flatMap(({ operation, fault, times, curl }) => [
      `${operation} ${fault}, ${times} times`,
      `  ${curl}`,
    ]),
    `seed ${seed}, ${sent} requests: ${shares.join(', ')}`,
    `${findings.length} faults, ${unreached.length} not reached`,
    '',
  ].join('\n');
}
