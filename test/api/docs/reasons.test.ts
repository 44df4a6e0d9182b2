import { globSync, readFileSync } from 'node:fs';
import { decode } from 'html-entities';
import { beforeAll, describe, expect, expectTypeOf, it } from 'vitest';
import type { ProofResult } from '../../../activities/proofs/judge.ts';
import { checkedInDocument } from '../../../api/docs/documents.ts';
import {
  issueReasons,
  verifyReasons,
  type VerifyReason,
} from '../../../domain/affidavit/reasons.ts';
import { proofReasons, type ProofReason } from '../../../domain/proofs/reasons.ts';
import type { RuleAnswer, Verdict } from '../../../domain/proofs/verdict.ts';
import { checkReasons } from '../../../domain/trust-checks/reasons.ts';
import { affidavitFaults } from '../../../workflows/affidavit-faults.ts';
import { trustCheckReasons } from '../../../workflows/trust-check/state.ts';
import { call } from '../../support/http/client.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';

const { baseUrl } = ownPlatform();
const root = new URL('../../..', import.meta.url).pathname;

/** Returns the sources of some folders without comments and without the tables of codes. */
function sources(...folders: readonly string[]): string {
  const files = folders.flatMap((folder) => globSync(`${folder}/**/*.ts`, { cwd: root }));
  return files
    .filter((file) => !/\/(reasons|state|messages|failures)\.ts$/.test(file))
    .map((file) => readFileSync(`${root}${file}`, 'utf8'))
    .join('\n')
    .replaceAll(/\/\*[^]*?\*\/|^\s*\/\/.*$/gm, '');
}

/** Returns the literals at places that answer a code; comparisons do not count. */
function answered(text: string, ...places: readonly RegExp[]): Set<string> {
  const found = places.flatMap((place) => text.match(place) ?? []);
  return new Set(found.flatMap((each) => each.match(/(?<=')[a-z0-9_]+(?=')/g) ?? []));
}

const groups = Object.entries(proofReasons);
const proofCodes = groups.flatMap(([, reasons]) => Object.keys(reasons));

describe('the table of reason codes', () => {
  it('types the results of rules, judges and verdicts', () => {
    expectTypeOf<Extract<RuleAnswer, { fault: unknown }>['fault']>().toEqualTypeOf<ProofReason>();
    expectTypeOf<
      Extract<RuleAnswer, { unknown: unknown }>['unknown']
    >().toEqualTypeOf<ProofReason>();
    expectTypeOf<Verdict['reason_code']>().toEqualTypeOf<ProofReason | null>();
    expectTypeOf<ProofResult['reason_code']>().toEqualTypeOf<ProofReason | null>();
    expectTypeOf<string>().not.toExtend<ProofReason>();
    expectTypeOf<string>().not.toExtend<VerifyReason>();
    expect(proofCodes.length).toBeGreaterThan(50);
  });

  it('has each code once, sorted', () => {
    expect(new Set(proofCodes).size).toBe(proofCodes.length);
    const tables = [...groups.map(([, reasons]) => reasons), checkReasons, verifyReasons];
    for (const table of tables) {
      const codes = Object.keys(table);
      expect(codes).toEqual(codes.toSorted());
    }
  });

  it('has no proof code that is never answered', () => {
    const made = answered(
      sources('activities', 'domain', 'api/auth', 'cli'),
      /\b(?:fault|unknown|reason|reason_code):[^,}]*'[a-z0-9_]+'/g,
      /\brejected\('[a-z0-9_]+'/g,
      /\bconst notRepeatable = '[a-z0-9_]+'/g,
    );
    // Functions of their own return the faults of photographs and of image lists.
    const own = sources('domain/proofs', 'domain/evidence');
    const told = answered(own, /^ +(?:if .*)?return [^;]*'[a-z_]+'/gm);
    expect(proofCodes.filter((code) => !made.has(code) && !told.has(code))).toEqual([]);
  });

  it('has exactly the codes with which checks end', () => {
    const made = answered(
      sources('activities', 'domain', 'api', 'workers', 'workflows'),
      /\breason(?:_code)?(?::| =)[^;}]*'[a-z_]+'/g,
      /\bmove\([^)]*'[a-z_]+'\)/g,
    );
    expect(Object.keys(checkReasons)).toEqual([...trustCheckReasons].toSorted());
    expect(trustCheckReasons.filter((code) => !made.has(code))).toEqual([]);
  });

  it('has no affidavit code that is never answered', () => {
    const text = sources(
      'activities/affidavit',
      'domain/affidavit',
      'domain/pdf',
      'domain/pki/cms',
      'domain/pki/timestamps',
    );
    const thrown = answered(text, /\bnew Failure\('[a-z_]+'/g);
    expect(affidavitFaults.filter((code) => !thrown.has(code))).toEqual([]);
    const verdicts = answered(text, /\bfault: '[a-z_]+'/g);
    // Only the CLI compares evidence and proofs with an affidavit.
    const held = answered(sources('cli'), /(?<=\breason_code:[^,}]*)'(?:evidence|log)_[a-z_]+'/g);
    const proven = answered(sources('domain/transparency'), /(?:return|:) 'log_[a-z_]+';/g);
    for (const code of [...held, ...proven]) verdicts.add(code);
    expect([...verdicts].toSorted()).toEqual(Object.keys(verifyReasons));
  });
});

describe('the reason codes on the reference page', () => {
  let page = '';
  beforeAll(async () => {
    page = (await call('GET', '/docs/reference/reason-codes')).text;
  });

  /** Returns the text beside an anchor as a reader sees it. */
  function sentenceAt(anchor: string): string {
    const [, rest = ''] = page.split(`id="${anchor}"`);
    const [, cell = ''] = /<td>([^]*?)<\/td>/.exec(rest) ?? [];
    return decode(cell.replaceAll(/<[^>]+>/g, ''));
  }

  const shown: readonly (readonly [string, Readonly<Record<string, string>>, string])[] = [
    ['a check', checkReasons, 'reason-'],
    ...groups.map(([name, reasons]) => [`${name} proof`, reasons, 'reason-'] as const),
    ['an affidavit', issueReasons, 'reason-'],
    ['a verdict on an affidavit', verifyReasons, 'reason-verify-'],
  ];
  it.each(shown)('include each code of %s with its sentence', (_what, reasons, prefix) => {
    for (const [code, sentence] of Object.entries(reasons)) {
      expect(page).toContain(`href="#${prefix}${code}"`);
      expect(sentenceAt(`${prefix}${code}`), code).toBe(sentence.replaceAll('`', ''));
    }
  });

  it('are linked from llms.txt and from every reason_code of the OpenAPI document', async () => {
    expect((await call('GET', '/llms.txt')).text).toContain(
      `](${baseUrl}/docs/reference/reason-codes)`,
    );
    expect(page).toContain('id="reasons"');
    const document = checkedInDocument('openapi.json');
    const described =
      document.match(/"reason_code": \{[^}]*?\/docs\/reference\/reason-codes"/g) ?? [];
    expect(described.length).toBeGreaterThan(0);
    expect(document.match(/"reason_code": \{/g)).toHaveLength(described.length);
  });
});
