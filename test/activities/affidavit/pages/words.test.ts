import { describe, expect, it } from 'vitest';
import { issueReasons, verifyReasons } from '../../../../domain/affidavit/reasons.ts';
import {
  describeProof,
  explainProof,
  isPreset,
  resultName,
  resultOf,
  statedFacts,
  stepResult,
  type StatedProof,
  type StepResult,
} from '../../../../domain/affidavit/words/proof-results.ts';
import { wordsOf } from '../../../../domain/affidavit/words/copy.ts';
import { marksOf } from '../../../../domain/pdf/layout/marks.ts';
import { proofName, reasonSentence } from '../../../../domain/proofs/proof-words.ts';
import { proofReasons } from '../../../../domain/proofs/reasons.ts';
import { proofStates, proofTypes } from '../../../../workflows/proofs.ts';
import { faceProof } from '../../../support/fixtures/affidavits/contents.ts';

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
const checksOf = (steps: Readonly<Record<string, string>>): StatedProof['checks'] =>
  Object.entries(steps).map(([name, result]) => ({ name, result }));

const stepsOf: Readonly<Record<string, readonly string[]>> = {
  biometric: ['match', 'liveness'],
  nfc_passport: ['sod_signature', 'csca_trusted', 'active_auth', 'chip_auth'],
  document: ['cross_check', 'expiry'],
  device: ['chain', 'app_id'],
  phone: [],
};

/** Every combination of the results of these steps. */
const resultsOf = (steps: readonly string[]): Readonly<Record<string, string>>[] =>
  steps.reduce<Record<string, string>[]>(
    (known, step) =>
      known.flatMap((one) => ['ok', 'failed', 'skipped'].map((each) => ({ ...one, [step]: each }))),
    [{}],
  );

const reasonCodes = [null, 'malformed', 'face_unsure', 'front_back_mismatch'];

/** Every proof type in every state, with every result of its steps and every verdict. */
const combinations: readonly StatedProof[] = proofTypes.flatMap((type) => {
  const steps = [{}, ...resultsOf(stepsOf[type] ?? [])];
  return proofStates.flatMap((status) =>
    judgements.flatMap((judgement) =>
      ['own', 'sandbox', null].flatMap((provider) =>
        steps.flatMap((results) =>
          (type === 'biometric' ? faceFacts : [{}]).flatMap((facts) =>
            reasonCodes.map((reason_code) => ({
              type,
              status,
              judgement,
              provider,
              capture: 'browser' as const,
              facts,
              checks: checksOf({
                ...('judged_by' in facts ? { claim: 'skipped' } : {}),
                ...results,
              }),
              reason_code,
            })),
          ),
        ),
      ),
    ),
  );
});
const isMissing = (proof: StatedProof, step: string): boolean =>
  !['ok', 'failed'].includes(resultIn(proof, step) ?? '');
const resultIn = ({ checks }: StatedProof, step: string): string | undefined =>
  checks.find(({ name }) => name === step)?.result;

/** Words that claim an action, and the step that proves it. */
const deeds: readonly (readonly [RegExp, string, StepResult[]])[] = [
  [/compared the face/, 'match', ['ok', 'failed', 'undecided']],
  [/The result was a match/, 'match', ['ok']],
  [/show the movements|judged that a live person was/, 'liveness', ['ok']],
  [/found no contradiction/, 'cross_check', ['ok']],
  [/had not expired/, 'expiry', ['ok']],
  [/verified the signature/, 'sod_signature', ['ok']],
  [/signature of the issuing State/, 'csca_trusted', ['ok']],
  [/a genuine device has the attested key/, 'chain', ['ok']],
  [/names the app that the service expects/, 'app_id', ['ok']],
];
const anyDeed = /read photographs|data of the chip|sent a code|verified the attestation/;

describe('the limitations of an affidavit', () => {
  it('say "not checked" for each unchecked proof, and claim no action', () => {
    const unchecked = combinations.filter((proof) => resultOf(proof) === 'not_checked');
    const preset = combinations.filter(isPreset);
    expect(unchecked.length).toBeGreaterThan(500);
    expect(preset.length).toBeGreaterThan(500);
    const all = [anyDeed, ...deeds.map(([words]) => words)];
    const isWrong = (proof: StatedProof): boolean => {
      const sentence = describeProof(proof);
      const name = isPreset(proof) ? resultName(proof) : 'not checked';
      const isNamed = sentence.startsWith(`${proofName(proof.type)}: ${name}.`);
      return !isNamed || all.some((words) => words.test(sentence));
    };
    expect([...unchecked, ...preset].filter(isWrong)).toEqual([]);
  });

  it('claim an action only when its step has such a result', () => {
    for (const proof of combinations) {
      const sentence = describeProof(proof);
      for (const [words, step, results] of deeds) {
        if (!words.test(sentence)) continue;
        expect(results, `${step}: ${sentence}`).toContain(stepResult(proof, step));
        if (words.source !== 'compared the face') expect(resultOf(proof)).toBe('passed');
      }
      if (anyDeed.test(sentence)) expect(resultOf(proof)).toBe('passed');
    }
  });

  it('name each action of a proof when all its steps passed', () => {
    const isWhole = (proof: StatedProof) =>
      resultOf(proof) === 'passed' && !isPreset(proof) && proof.checks.length > 0;
    const whole = combinations.filter(
      (proof) =>
        isWhole(proof) && stepsOf[proof.type]?.every((step) => resultIn(proof, step) === 'ok'),
    );
    expect(new Set(whole.map(({ type }) => type)).size).toBe(4);
    for (const proof of whole) {
      const own = deeds.filter(([, step]) => stepsOf[proof.type]?.includes(step));
      for (const [words] of own) expect(describeProof(proof)).toMatch(words);
    }
  });

  it('print no number of a step without a result, and no explanation of it', () => {
    for (const proof of combinations.filter(({ type }) => type === 'biometric')) {
      const facts = statedFacts(proof);
      const text = [...Object.keys(facts), ...explainProof({ ...proof, facts })].join();
      if (isMissing(proof, 'match') && proof.reason_code !== 'face_unsure') {
        expect(text).not.toMatch(/similarity/i);
      }
      if (isMissing(proof, 'liveness')) expect(text).not.toMatch(/liveness|confidence/i);
    }
  });

  it('say that a face was compared when the similarity was undecided', () => {
    const checks = checksOf({ match: 'skipped', liveness: 'ok' });
    const unsure = { ...faceProof, status: 'in_review', judgement: 'unsure' as const, checks };
    const of = (reason_code: string) => describeProof({ ...unsure, reason_code });
    expect(of('face_unsure')).toContain('The service compared the face');
    expect(of('portrait_unusable')).toContain('has no result');
  });

  it('say who decided: the program, a reviewer or neither', () => {
    const of = (change: Partial<StatedProof>) => describeProof({ ...faceProof, ...change });
    expect(of({ status: 'passed', judgement: 'unsure' })).toContain('Face: accepted by the review');
    expect(of({ status: 'failed', judgement: 'unsure' })).toContain('Face: not accepted by the');
    expect(of({ status: 'in_review', judgement: 'unsure' })).toContain('Face: not decided.');
    expect(of({})).toContain('Face: failed. The face does not match the portrait');
  });

  it('say whether a chip may be a copy', () => {
    const chip = { ...faceProof, type: 'nfc_passport', status: 'passed', judgement: 'passed' };
    const of = (steps: Readonly<Record<string, string>>) =>
      describeProof({ ...chip, judgement: 'passed', checks: checksOf(steps) });
    expect(of({ active_auth: 'ok' })).toContain('gave a valid proof that it is an original');
    expect(of({ active_auth: 'skipped' })).toContain('the data may be a copy');
  });

  it('claim no more than the service knows', () => {
    const reasons: Readonly<Record<string, string>> = {
      aa_signature_invalid: 'The chip gave no valid proof that it is an original.',
      aa_missing: 'The service received no proof of the chip that it is an original.',
      dg_hash_mismatch: 'The data on the chip does not match what the State signed.',
    };
    for (const [code, words] of Object.entries(reasons)) expect(reasonSentence(code)).toBe(words);
  });

  it('do not blame the person for a failed proof', () => {
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
  it('explains each number with its threshold', () => {
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
