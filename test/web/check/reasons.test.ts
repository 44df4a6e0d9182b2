import { describe, expect, it } from 'vitest';
import type { CheckFacts } from '../../../api/links/visitor/pages/check-facts.ts';
import { parseMessage } from '../../../domain/languages/format.ts';
import { languages, type Language } from '../../../domain/languages/languages.ts';
import { catalogs } from '../../../domain/languages/say.ts';
import { proofReasons } from '../../../domain/proofs/reasons.ts';
import { checkReasons } from '../../../domain/trust-checks/reasons.ts';
import { wordsOf } from '../../../web/check/parts/phrases.ts';
import { servedProofs } from '../../../workflows/proofs.ts';

/** Returns the texts of the page of a link in a language. */
function spoken(language: Language) {
  const parsed = Object.entries(catalogs[language]).map(([name, message]) => [
    name,
    parseMessage(message, language),
  ]);
  return wordsOf({ language, phrases: Object.fromEntries(parsed) as CheckFacts['phrases'] });
}

/** The codes that a proof of a running check can have; the others are of evidence verified again. */
const codesOf = (reasons: Readonly<Record<string, string>>): string[] =>
  Object.keys(reasons).filter(
    (code) => !reasons[code]?.startsWith('When evidence is verified again'),
  );

const values = { account: 'Example account' };

describe.each(languages)('the page of a link in %s', (language) => {
  const { sayOf, sayReason } = spoken(language);

  it('has its own words for every reason of a check', () => {
    const other = sayOf('why', 'other', values);
    for (const code of Object.keys(checkReasons)) {
      expect(sayOf('why', code, values), code).not.toBe(other);
    }
  });

  it('has words for every reason of a proof, and general words without a reason', () => {
    const untold = sayReason({ type: 'phone', reason_code: null });
    expect(untold).toBe(sayOf('reason', 'other'));
    for (const type of servedProofs) {
      for (const code of [...codesOf(proofReasons[type]), 'provider_unavailable']) {
        expect(sayReason({ type, reason_code: code }), `${type} ${code}`).not.toBe(untold);
      }
      expect(sayReason({ type, reason_code: null })).toBe(untold);
    }
    for (const code of codesOf(proofReasons.any)) {
      expect(sayReason({ type: 'document', reason_code: code }), code).not.toBe(untold);
    }
  });
});
