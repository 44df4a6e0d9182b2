import {
  judgeCount,
  judgeMeasure,
  type BenchResult,
  type JudgedCount,
  type JudgedMeasure,
} from './judge.ts';

/** The machine of a run, needed to interpret its figures. */
export interface Surroundings {
  readonly node: string;
  readonly cores: number;
  readonly load: number;
}

/** Judges one bench, in the form that `--json` prints. */
export function judgeResult(result: BenchResult, random: () => number) {
  return {
    ...result,
    measures: result.measures.map((measure) => judgeMeasure(measure, random)),
    counts: result.counts.map(judgeCount),
  };
}

export type JudgedResult = ReturnType<typeof judgeResult>;

/** Formats one bench as lines, with the goals beside the figures. */
export function linesOf(result: JudgedResult, on: Surroundings): string[] {
  const { node, cores, load } = on;
  const title = `${result.id} ${result.title}`;
  return [
    `${title} · ${result.extent} · Node ${node}, ${cores} cores, load ${load.toFixed(1)}`,
    ...result.measures.map(measureLine),
    ...result.counts.map(countLine),
  ];
}

function measureLine(measure: JudgedMeasure): string {
  const { unit, goal, interval95 } = measure;
  const of = (value: number): string => `${rounded(value)} ${unit}`.padStart(9);
  const ratio = `×${measure.ratio.toFixed(2)} [${interval95.low.toFixed(2)}, ${interval95.high.toFixed(2)}]`;
  const bound = goal && (goal.of === 'ratio' ? `≤ ×${goal.max}` : `≤ ${goal.max} ${unit}`);
  const parts = [
    `  ${measure.name.padEnd(22)} ${of(measure.candidate)} on floor ${of(measure.floor)}`,
    ratio.padEnd(19),
    bound ? verdict(bound, measure.isMet) : '',
    measure.isNoisy ? 'NOISY' : '',
  ];
  return parts.join('  ').trimEnd();
}

function countLine(count: JudgedCount): string {
  const unit = count.unit ? ` ${count.unit}` : '';
  const value = `${rounded(count.value)}${unit}`.padStart(9);
  const bound = count.max === undefined ? '' : `  ${verdict(`≤ ${count.max}${unit}`, count.isMet)}`;
  return `  ${count.name.padEnd(22)} ${value}${bound}`;
}

function verdict(bound: string, isMet: boolean | null): string {
  return `goal ${bound} ${isMet ? 'met' : 'MISSED'}`;
}

function rounded(value: number): string {
  return Math.abs(value) >= 100 || Number.isInteger(value) ? value.toFixed(0) : value.toFixed(1);
}
