import type { Part } from '../../support/platform/parts.ts';
import type { Hit, VolleyResult } from './volley.ts';

const nameWidth = 24;
const cellWidth = 18;

/** Formats the number of kills and the slowest recovery by step and part. */
export function tableOf(
  steps: readonly string[],
  chosen: readonly Part[],
  results: readonly VolleyResult[],
): string[] {
  const hits = results.flatMap((result) => result.hits);
  const rows = steps.map((step) => [
    step,
    ...chosen.map((part) => cellOf(hits.filter((hit) => hit.step === step && hit.part === part))),
  ]);
  const sum = (part: Part, of: (result: VolleyResult) => number): string =>
    String(
      results
        .filter(({ hits: [first] }) => first?.part === part)
        .reduce((total, result) => total + of(result), 0),
    );
  return [
    ['step', ...chosen],
    ...rows,
    ['webhooks unanswered', ...chosen.map((part) => sum(part, (one) => one.heldDeliveries))],
    ['sockets open', ...chosen.map((part) => sum(part, (one) => one.openSockets))],
  ].map(([name = '', ...cells]) =>
    `${name.padEnd(nameWidth)}${cells.map((cell) => cell.padStart(cellWidth)).join('')}`.trimEnd(),
  );
}

function cellOf(hits: readonly Hit[]): string {
  const failed = hits.filter(({ fault }) => fault !== null).length;
  const worstMs = Math.max(0, ...hits.map(({ healedMs }) => healedMs ?? 0));
  const healed = `${hits.length} ≤ ${(worstMs / 1000).toFixed(1)} s`;
  return failed > 0 ? `${failed} of ${hits.length} FAILED` : healed;
}
