import { createMeter, hintOf, type Hint } from '../../../web/capture/hints.ts';
import { filmed, truths } from '../../support/fixtures/documents/frames.ts';

/** One film: its fault, and the hint for its second frame. */
export interface Hinted {
  readonly name: string;
  readonly truth: Hint | null;
  readonly hint: Hint | null;
  readonly strength: number;
  readonly ms: number;
}

/** Draws films by number, and computes the hint of each. */
export async function hintFilms(first: number, count: number): Promise<Hinted[]> {
  const hinted: Hinted[] = [];
  for (let number = first; number < first + count; number += 1) {
    const { name, truth, strength, guide, frames } = await filmed(number);
    const measure = createMeter();
    measure(frames[0], guide);
    const start = performance.now();
    const hint = hintOf(measure(frames[1], guide));
    hinted.push({ name, truth, hint, strength, ms: performance.now() - start });
  }
  return hinted;
}

/** Returns the fraction of films with the right hint. */
export const rightShareOf = (films: readonly Hinted[]): number =>
  films.filter(({ truth, hint }) => truth === hint).length / films.length;

export function medianMsOf(films: readonly Hinted[]): number {
  const times = films.map(({ ms }) => ms).toSorted((one, other) => one - other);
  return times[Math.trunc(times.length / 2)] ?? 0;
}

const nameOf = (hint: Hint | null): string => hint ?? 'none';

/** The confusion matrix: a row for each fault, a column for each hint. */
export function matrixOf(films: readonly Hinted[]): string {
  const head = ['drawn', ...truths.map(nameOf), 'right', 'right, weakest third'];
  const rows = truths.map((truth) => {
    const drawn = films.filter((film) => film.truth === truth);
    const counts = truths.map((hint) => drawn.filter((film) => film.hint === hint).length);
    const weakest = truth ? drawn.filter(({ strength }) => strength < 1 / 3) : [];
    return [nameOf(truth), ...counts, percentOf(drawn), percentOf(weakest)];
  });
  const lines = [head, head.map(() => '---'), ...rows];
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

const percentOf = (films: readonly Hinted[]): string =>
  films.length === 0 ? '–' : `${(rightShareOf(films) * 100).toFixed(1)} %`;
