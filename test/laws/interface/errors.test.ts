import { describe, expect, it } from 'vitest';
import { errorsOf, impliedErrors } from '../../../api/http/implied-errors.ts';
import { failureAnswers } from '../../../api/http/problem/failure-answers.ts';
import type { FailureCode } from '../../../workflows/failures.ts';
import { contracts } from '../../support/http/routes.ts';
import {
  breachesOf,
  declaredErrors,
  declaredStatuses,
  strayErrors,
  unprovenErrors,
} from '../../support/runner/declared-errors.ts';

/** Codes of workflows, stores, providers and sockets, and the unexpected fault. */
const belowHttp = [
  'affidavit_invalid',
  'affidavit_unmakeable',
  'headers_too_large',
  'key_refused',
  'mail_rejected',
  'malformed_json',
  'method_not_allowed',
  'object_conflict',
  'object_key_invalid',
  'trust_list_invalid',
  'unexpected',
] as const satisfies readonly FailureCode[];

/** A run that satisfies the rule completely. */
function perfectRun(): Set<string> {
  const unproven = new Set(unprovenErrors());
  const implied = contracts.flatMap((row) => impliedErrors(row).map((code) => `${row.id} ${code}`));
  const isOpen = (pair: string): boolean =>
    unproven.has(pair) || unproven.has(`* ${pair.split(' ')[1]}`);
  const declared = [...declaredErrors(), ...declaredStatuses()];
  return new Set([...declared, ...implied].filter((pair) => !isOpen(pair)));
}

describe('the rule of declared answers (checked after a whole run, by npm test)', () => {
  it('has a sorted list of unproven pairs that exist, each once', () => {
    const unproven = unprovenErrors();
    expect(strayErrors()).toEqual([]);
    expect([...new Set(unproven)].sort()).toEqual(unproven);
  });

  it('passes for a run that has seen all other answers', () => {
    expect(breachesOf(perfectRun())).toEqual([]);
  });

  it('reports answers that the run lacks, and unproven pairs that it has seen', () => {
    const seen = perfectRun();
    for (const missing of ['links.preview not_found', 'links.preview 302']) {
      expect(seen.delete(missing)).toBe(true);
      expect(breachesOf(seen)).toContain(`no test brings about: ${missing}`);
    }
    const open = 'links.preview not_found';
    expect(breachesOf(perfectRun(), [open])).toEqual([
      `take it off unproven-errors.json, a test brings it about: ${open}`,
    ]);
  });

  it('lists every code that no operation declares', () => {
    const answered = new Set<string>(contracts.flatMap(errorsOf));
    const silent = Object.keys(failureAnswers).filter((code) => !answered.has(code));
    expect(silent).toEqual([...belowHttp].sort());
  });
});
