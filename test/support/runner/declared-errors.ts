import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { errorsOf, impliedErrors } from '../../../api/http/implied-errors.ts';
import { contracts } from '../http/routes.ts';

const ledger = new URL('../../laws/interface/unproven-errors.json', import.meta.url);

/**
 * Declared failures and successes that no test brings about yet, as `operation code` or `operation
 * status`; the list may only shrink.
 */
export function unprovenErrors(): string[] {
  return JSON.parse(readFileSync(ledger, 'utf8')) as string[];
}

/** What must be seen: every error a row declares itself. */
export function declaredErrors(): string[] {
  return contracts.flatMap(({ id, errors }) => [...new Set(errors)].map((code) => `${id} ${code}`));
}

/** And every status of an answer that it declares. */
export function declaredStatuses(): string[] {
  return contracts.flatMap(({ id, replies }) =>
    Object.keys(replies).map((status) => `${id} ${status}`),
  );
}

/** Every pair that was seen by the processes of one run. */
export function seenAnswers(folder: string): Set<string> {
  const files = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'));
  return new Set(files.flatMap((text) => text.split('\n').filter((line) => line !== '')));
}

/**
 * The law of declared answers, after a whole run: what a row declares is seen or stands in the ledger,
 * what stands in the ledger is declared and was not seen, and what `mount` raises for any row was
 * seen on one at least. Gives the breaches as lines; empty when the law holds.
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

/** Ledger lines that name nothing declared. */
export function strayErrors(): string[] {
  const known = new Set([
    ...declaredErrors(),
    ...declaredStatuses(),
    ...contracts.flatMap((row) => errorsOf(row).map((code) => `* ${code}`)),
  ]);
  return unprovenErrors().filter((pair) => !known.has(pair));
}
