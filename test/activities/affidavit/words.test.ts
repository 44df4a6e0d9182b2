import { describe, expect, it } from 'vitest';
import { explainDecision } from '../../../activities/affidavit/explain-decision.ts';
import {
  describeProof,
  explainProof,
  resultOf,
  type StatedProof,
} from '../../../activities/affidavit/proof-results.ts';
import { marksOf } from '../../../activities/affidavit/marks.ts';
import { proofName, reasonSentence } from '../../../activities/affidavit/proof-words.ts';
import { issueReasons, verifyReasons } from '../../../activities/affidavit/reasons.ts';
import { wordsOf } from '../../../activities/affidavit/words.ts';
import { proofReasons } from '../../../activities/evidence/reasons.ts';
import { proofStates, proofTypes } from '../../../workflows/proofs.ts';
import { trustCheckReasons } from '../../../workflows/trust-check/state.ts';
import { faceProof } from './contents.ts';

const judgements = ['passed', 'rejected', 'unsure', null] as const;
const faceFacts = [
  {},
  faceProof.facts,
  { judged_by: 'http', confidence_percent: '97', confidence_percent_min: '90' },
  {
    judged_by: 'http',
    confidence_percent: '97',
    confidence_percent_min: '90',
    similarity_percent: '99.4',
    similarity_percent_min: '99',
  },
];
const chipFacts = [{ levels_active: 'absent', levels_chip: 'absent' }, { levels_chip: 'ok' }];

/** Every proof type in every state, however its last attempt was judged and by whom. */
const combinations: readonly StatedProof[] = proofTypes.flatMap((type) =>
  proofStates.flatMap((status) =>
    judgements.flatMap((judgement) =>
      ['own', 'sandbox', null].flatMap((provider) =>
        (type === 'biometric' ? faceFacts : type === 'nfc_passport' ? chipFacts : [{}]).map(
          (facts) => ({
            type,
            status,
            judgement,
            provider,
            facts,
            reason_code: status === 'failed' ? 'malformed' : null,
          }),
        ),
      ),
    ),
  ),
);

/** Words that state that something was done. */
const deeds =
  /compared the face|show the movements|live person was|read photographs|data of the chip|sent a code|verified the attestation|a match\b|proved/;

describe('the limitations of an affidavit', () => {
  it('say "not checked" of each proof that was not checked, and claim no deed', () => {
    const unchecked = combinations.filter((proof) =>
      ['not_checked', 'preset'].includes(resultOf(proof)),
    );
    expect(unchecked.length).toBeGreaterThan(500);
    for (const proof of unchecked) {
      const sentence = describeProof(proof);
      expect(sentence).toContain(`${proofName(proof.type)}: not checked.`);
      expect(sentence).not.toMatch(deeds);
    }
  });

  it('claim the deeds of a proof only where the program passed it', () => {
    for (const proof of combinations) {
      const sentence = describeProof(proof).replace(/ [A-Z][^.]* compared the face [^.]*\./, '');
      expect(deeds.test(sentence), sentence).toBe(resultOf(proof) === 'passed');
    }
  });

  it('say that a face was compared where a similarity is on record, and only there', () => {
    for (const proof of combinations.filter(({ type }) => type === 'biometric')) {
      const isDone = !['not_checked', 'preset'].includes(resultOf(proof));
      const isCompared = 'similarity' in proof.facts || 'similarity_percent' in proof.facts;
      expect(/compared the face/.test(describeProof(proof))).toBe(isDone && isCompared);
      const isMatch = resultOf(proof) === 'passed' && isCompared;
      expect(/result was a match/.test(describeProof(proof))).toBe(isMatch);
    }
  });

  it('say who decided: the program, a reviewer or nobody', () => {
    const of = (change: Partial<StatedProof>) => describeProof({ ...faceProof, ...change });
    expect(of({ status: 'passed', judgement: 'unsure' })).toContain('a reviewer accepted');
    expect(of({ status: 'failed', judgement: 'unsure' })).toContain('a reviewer rejected');
    expect(of({ status: 'in_review', judgement: 'unsure' })).toContain('could not decide');
    expect(of({})).toContain('the check failed. The face does not match the portrait');
  });

  it('say of a chip whether it can be a copy', () => {
    const chip = { ...faceProof, type: 'nfc_passport', status: 'passed', judgement: 'passed' };
    const of = (facts: StatedProof['facts']) =>
      describeProof({ ...chip, judgement: 'passed', facts });
    expect(of({ levels_active: 'ok' })).toContain('proved that it is not a copy');
    expect(of({ levels_active: 'absent' })).toContain('the data may be a copy');
  });

  it('do not blame the person for a proof that did not pass', () => {
    const about = {
      baseUrl: 'http://127.0.0.1:8080',
      affidavitId: 'aff_1',
      linkSessionId: 'tc_1',
      outcome: 'failed',
      hasConsent: true,
      isDevelopment: false,
    };
    const of = (proof: StatedProof) => wordsOf({ ...about, proofs: [proof] });
    const blameless = 'does not show that the person did anything wrong';
    expect(of(faceProof).limitations.join()).toContain(blameless);
    const passed = { ...faceProof, status: 'passed', judgement: 'passed' as const };
    expect(of(passed).limitations.join()).not.toContain(blameless);
    expect(of(passed).statement.join()).toContain('A printed copy proves nothing by itself');
    expect(of(passed).limitations.join()).toContain('requester’s own words');
  });
});

describe('the explanation of a proof', () => {
  it('gives the meaning of each number with its threshold', () => {
    const [reason, similarity, liveness] = explainProof(faceProof);
    expect(reason).toBe('The face does not match the portrait in the document.');
    expect(similarity).toContain(
      'A match needs at least 0.5. From 0.4 to below 0.5, the service cannot decide.',
    );
    expect(liveness).toContain('at least 0.25');
  });

  it('has a sentence for every reason code of a proof', () => {
    const codes = Object.values(proofReasons).flatMap((group) => Object.keys(group));
    for (const code of [...codes, 'provider_unavailable']) {
      expect(reasonSentence(code), code).toMatch(/^[A-Z][^.]*\.$/);
    }
    expect(reasonSentence('constructor')).toBe('Reason code: constructor.');
  });
});

describe('the explanation of a decision', () => {
  const decided = (change: object, proofs: readonly StatedProof[] = []) =>
    explainDecision({
      decision: { outcome: 'failed', reason_code: 'mismatch', rule: null, ...change },
      matching: { full_name: 'mismatch', email: 'not_checked' },
      proofs,
    });

  it('names the proof that failed, and why in words', () => {
    const skipped = { ...faceProof, type: 'phone', status: 'skipped', judgement: null };
    const proofs = [faceProof, skipped];
    expect(decided({ rule: 'failed_proof', reason_code: 'proof_failed' }, proofs)).toEqual([
      'Face: failed. The face does not match the portrait in the document.',
      'Phone number: not checked.',
    ]);
  });

  it('names the fields that differ from what was expected', () => {
    expect(decided({ rule: 'matching_params' })).toEqual([
      'The claims do not match the claims that the requester expected. Different: full name.',
    ]);
  });

  it('is empty for a check that passed', () => {
    expect(decided({ outcome: 'passed', reason_code: null }, [faceProof])).toEqual([]);
  });

  it.each(trustCheckReasons)('says in words why a check ended: %s', (reason_code) => {
    const proofs = reason_code === 'proof_failed' ? [faceProof] : [];
    const [first] = decided({ reason_code }, proofs);
    expect(first).toMatch(/^[A-Z].*\.$/);
    expect(first).not.toContain('Reason code');
  });
});

describe('the sentences of an affidavit and of its verdicts', () => {
  const codes = Object.values(proofReasons).flatMap((group) => Object.keys(group));
  const about = {
    baseUrl: 'http://127.0.0.1:8080',
    affidavitId: 'aff_1',
    linkSessionId: 'tc_1',
    outcome: 'failed',
    isDevelopment: true,
  };
  const written = [true, false].map((hasConsent) =>
    wordsOf({ ...about, proofs: combinations, hasConsent }),
  );
  const texts = [
    ...written.flatMap(({ statement }) => statement),
    ...written.flatMap(({ limitations }) => limitations),
    ...written.flatMap(({ how_to_verify: steps }) => steps.map(({ text }) => text)),
    ...combinations.flatMap(explainProof),
    ...codes.map(reasonSentence),
    ...marksOf({ livemode: false, development: true }).map(({ words }) => words),
    ...Object.values(issueReasons),
    ...Object.values(verifyReasons),
  ];
  const sentences = [...new Set(texts.flatMap((text) => text.split(/(?<=[.:])\s/)))];

  it('have at most 24 words each', () => {
    expect(sentences.length).toBeGreaterThan(200);
    const long = sentences.filter((sentence) => sentence.split(' ').length > 24);
    expect(long).toEqual([]);
  });

  it('use no word of the older dialect', () => {
    const old = /\b(whoever|nobody|somebody|held against|stands?|anew|be told|is none|of today)\b/i;
    expect(sentences.filter((sentence) => old.test(sentence))).toEqual([]);
  });
});
