import { expect } from 'vitest';
import { evidenceHashOf } from '../../../domain/evidence/binding.ts';
import { EvidenceFileError } from '../../../domain/evidence/file.ts';
import { parseEvidence } from '../../../domain/judging/files.ts';
import { verifyAnyEvidence, type ImageReaders } from '../../../domain/judging/verifiers.ts';
import type { Verdict } from '../../../domain/proofs/verdict.ts';

/** A place in a JSON file, as names and indices. */
type Place = readonly (string | number)[];

/** Lists all leaves of a value: everything except objects and arrays with content. */
function leavesOf(value: unknown, place: Place = []): Place[] {
  const isBranch = typeof value === 'object' && value !== null;
  const members = isBranch ? Object.entries(value) : [];
  if (members.length === 0) return [place];
  return members.flatMap(([name, member]) =>
    leavesOf(member, [...place, Array.isArray(value) ? Number(name) : name]),
  );
}

export type Alteration = 'removed' | 'retyped' | 'altered' | 'lowered';

/** The possible alterations of a leaf at a place; a number can also be decreased. */
function alterationsOf(file: object, place: Place): readonly Alteration[] {
  const value: unknown = place.reduce((at: unknown, name) => Object(at)[name], file);
  const usual = ['removed', 'retyped', 'altered'] as const;
  return typeof value === 'number' ? [...usual, 'lowered'] : usual;
}

/** Returns a copy of the file with the altered leaf. */
function altered(
  file: Readonly<Record<string, unknown>>,
  place: Place,
  alteration: Alteration,
): Record<string, unknown> {
  const copy = structuredClone(file);
  const parent = place.slice(0, -1).reduce((at: unknown, name) => Object(at)[name], copy);
  const last = place.at(-1) ?? '';
  const holder = Object(parent);
  if (alteration !== 'removed') {
    holder[last] = changes[alteration](holder[last]);
  } else if (Array.isArray(holder)) holder.splice(Number(last), 1);
  else Reflect.deleteProperty(holder, last);
  return copy;
}

const retyped = (value: unknown): unknown => (typeof value === 'string' ? 7 : 'another');

const lowered = (value: unknown): number => Number(value) - 1;

/** Changes one character in the middle, so that base64 and hex keep their length. */
function another(value: unknown): unknown {
  if (typeof value === 'number') return value + 1;
  if (typeof value === 'boolean') return !value;
  if (typeof value !== 'string') return [null];
  const middle = Math.floor(value.length / 2);
  const [one = '', other = ''] = /^[0-9a-f]+$/.test(value) ? 'ef' : 'AB';
  const letter = value[middle] === one ? other : one;
  return `${value.slice(0, middle)}${letter}${value.slice(middle + 1)}`;
}

const changes = { retyped, altered: another, lowered };

/**
 * Changes every leaf of a passing file in every possible way, one at a time. Returns the changes
 * that still pass, sorted, as `place alteration`. Checks that each changed file has another hash.
 */
export async function outlivedOf(
  file: Readonly<Record<string, unknown>>,
  readers?: ImageReaders,
): Promise<string[]> {
  const before = evidenceHashOf([file]);
  expect(await judged(file, readers)).toBe('passed');
  const outlived: string[] = [];
  for (const place of leavesOf(file)) {
    for (const alteration of alterationsOf(file, place)) {
      const changed = altered(file, place, alteration);
      if ((await judged(changed, readers)) !== 'passed') continue;
      const what = `${place.join('.')} ${alteration}`;
      expect(evidenceHashOf([changed]), what).not.toBe(before);
      outlived.push(what);
    }
  }
  return outlived.toSorted();
}

/** Judges as an auditor does: an unreadable file has not passed. */
async function judged(file: unknown, readers?: ImageReaders): Promise<Verdict['verdict']> {
  try {
    return (await verifyAnyEvidence(parseEvidence(file), readers)).verdict;
  } catch (error) {
    if (error instanceof EvidenceFileError) return 'failed';
    throw error;
  }
}

/** Changes that relax a policy, which only the hash reveals. */
export const weaker = (leaf: string, alterations: readonly Alteration[]): string[] =>
  alterations.map((alteration) => `policy.${leaf} ${alteration}`);
