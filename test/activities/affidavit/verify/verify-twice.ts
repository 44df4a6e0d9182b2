import type { X509Certificate } from 'node:crypto';
import { createContext, runInContext, type Context } from 'node:vm';
import { expect } from 'vitest';
import { verifyAffidavit } from '../../../../activities/affidavit/verify.ts';
import { bundleOf } from '../../../../api/verify/bundle.ts';
import type { AffidavitVerdict } from '../../../../domain/affidavit/verify/verdict.ts';
import type { Answer, Question, Refusal } from '../../../../web/verify/judge.ts';

interface Verifier {
  readonly judge: (question: Question) => Promise<Answer | Refusal>;
}

let verifier: Promise<Verifier> | null = null;

/** Creates a context with only what every browser has, and nothing of Node. */
function realm(): Context {
  const { atob, btoa, clearTimeout, crypto, setTimeout, structuredClone } = globalThis;
  const silent = { debug() {}, error() {}, info() {}, log() {}, warn() {} };
  const texts = { atob, btoa, TextDecoder, TextEncoder };
  const given = { ...texts, clearTimeout, crypto, setTimeout, structuredClone, console: silent };
  const context = createContext(given);
  context['self'] = context;
  return context;
}

async function openVerifier(): Promise<Verifier> {
  const program = await bundleOf('judge.ts', 'verifier');
  return runInContext(`${program};verifier`, realm());
}

/**
 * Calls `verifyAffidavit`, which the command and the service use, and the bundle of the verifier
 * page, and asserts that both return the same verdict.
 */
export async function verifyTwice(
  file: Uint8Array,
  roots: readonly X509Certificate[],
  at: Date,
  lists: readonly Uint8Array[] = [],
): Promise<AffidavitVerdict> {
  const verdict = await verifyAffidavit(file, roots, at, { lists });
  verifier ??= openVerifier();
  const answer = await (
    await verifier
  ).judge({
    pdf: new Blob([new Uint8Array(file)]),
    root: roots.map(String).join('\n'),
    tsaRoots: [],
    at: at.toISOString(),
    lists: lists.map((list) => new Blob([new Uint8Array(list)])),
    proof: null,
    logKey: '',
    evidence: null,
  });
  expect('verdict' in answer ? JSON.parse(JSON.stringify(answer.verdict)) : answer).toEqual(
    verdict,
  );
  return verdict;
}
