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

/** Codes of workflows, stores, providers, sockets, and the fault that is nobody's to declare. */
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

/** A run in which every test of the law would be satisfied. */
function perfectRun(): Set<string> {
  const unproven = new Set(unprovenErrors());
  const implied = contracts.flatMap((row) => impliedErrors(row).map((code) => `${row.id} ${code}`));
  const isOpen = (pair: string): boolean =>
    unproven.has(pair) || unproven.has(`* ${pair.split(' ')[1]}`);
  const declared = [...declaredErrors(), ...declaredStatuses()];
  return new Set([...declared, ...implied].filter((pair) => !isOpen(pair)));
}

describe('the law of declared answers (held after a whole run, by npm test)', () => {
  it('has a ledger of pairs that exist, each once, in order', () => {
    const unproven = unprovenErrors();
    expect(strayErrors()).toEqual([]);
    expect([...new Set(unproven)].sort()).toEqual(unproven);
  });

  it('is content with a run that has seen everything else', () => {
    expect(breachesOf(perfectRun())).toEqual([]);
  });

  it('names what a run has not seen, and what the ledger need not hold any more', () => {
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

  it('knows why a code is no operation’s', () => {
    const answered = new Set<string>(contracts.flatMap(errorsOf));
    const silent = Object.keys(failureAnswers).filter((code) => !answered.has(code));
    expect(silent).toEqual([...belowHttp].sort());
  });
});
