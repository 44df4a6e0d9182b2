import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { errorsOf, impliedErrors } from '../../../api/http/implied-errors.ts';
import { contracts } from '../http/routes.ts';

const ledger = new URL('../../laws/interface/unproven-errors.json', import.meta.url);

/**
 * Declared failures and successes that no test produces yet, as `operation code` or `operation
 * status`. The list may only shrink.
 */
export function unprovenErrors(): string[] {
  return JSON.parse(readFileSync(ledger, 'utf8')) as string[];
}

/** Returns every error that a row declares itself. The tests must produce all of them. */
export function declaredErrors(): string[] {
  return contracts.flatMap(({ id, errors }) => [...new Set(errors)].map((code) => `${id} ${code}`));
}

/** Returns every answer status that a row declares. */
export function declaredStatuses(): string[] {
  return contracts.flatMap(({ id, replies }) =>
    Object.keys(replies).map((status) => `${id} ${status}`),
  );
}

/** Returns every pair that the processes of one run recorded. */
export function seenAnswers(folder: string): Set<string> {
  const files = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'));
  return new Set(files.flatMap((text) => text.split('\n').filter((line) => line !== '')));
}

/**
 * Checks the law of declared answers after a whole run. Each declared answer was seen or is in the
 * ledger. Each ledger line was not seen. Each failure that `mount` raises for any row was seen on
 * at least one. Returns the breaches as lines; empty if the law holds.
 */
export function breachesOf(
  seen: ReadonlySet<string>,
  ledgerLines: readonly string[] = unprovenErrors(),
): string[] {
  const declared = new Set([...declaredErrors(), ...declaredStatuses()]);
  const unproven = new Set(ledgerLines);
  const seenCodes = new Set([...seen].map((pair) => pair.split(' ')[1]));
  const implied = new Set(contracts.flatMap(impliedErrors));
  return [
    ...[...declared]
      .filter((pair) => !seen.has(pair) && !unproven.has(pair))
      .map((pair) => `no test brings about: ${pair}`),
    ...[...unproven]
      .filter((pair) => (pair.startsWith('* ') ? seenCodes.has(pair.slice(2)) : seen.has(pair)))
      .map((pair) => `take it off unproven-errors.json, a test brings it about: ${pair}`),
    ...[...implied]
      .filter((code) => !seenCodes.has(code) && !unproven.has(`* ${code}`))
      .map((code) => `no test brings about on any operation: ${code}`),
  ];
}

/** Returns ledger lines that match no declaration. */
export function strayErrors(): string[] {
  const known = new Set([
    ...declaredErrors(),
    ...declaredStatuses(),
    ...contracts.flatMap((row) => errorsOf(row).map((code) => `* ${code}`)),
  ]);
  return unprovenErrors().filter((pair) => !known.has(pair));
}
