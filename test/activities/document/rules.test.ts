import { describe, expect, test } from 'vitest';
import type { DocumentReading } from '../../../activities/document/read.ts';
import { documentRules } from '../../../activities/document/rules.ts';
import { verifyDocumentImage } from '../../../activities/document/verify-document-image.ts';
import { EvidenceFileError, parseEvidence } from '../../../activities/evidence/file.ts';
import { judgeAnyEvidence } from '../../../activities/evidence/judge.ts';
import { labelled } from '../../documents/labelled.ts';
import {
  at,
  code,
  front,
  judge,
  longName,
  named,
  namedInPrint,
  nothing,
  otherSex,
  passed,
  printed,
  sides,
  visual,
  zone,
} from './readings.ts';

describe('the rules of a document', () => {
  test.each<[string, DocumentReading, unknown[]]>([
    ['another first name', sides(front, code({ givenNames: 'ROBERT MARIA' })), passed],
    [
      'another sex',
      sides({ ...front, words: [...printed, 'SEX', 'F'] }, code({ sex: 'M' })),
      passed,
    ],
    ['zones of two sexes', sides(zone('TD3'), zone('TD1', otherSex)), passed],
    ['a name longer than an element', sides(named, code({ givenNames: longName })), passed],
    [
      'a surname of two letters, which was sought in no text',
      sides(namedInPrint('NG'), code({ surname: 'NG' })),
      ['failed', 'front_back_mismatch', 'cross_check'],
    ],
    [
      'another surname',
      sides(front, code({ surname: 'NILSSON' })),
      ['failed', 'front_back_mismatch', 'cross_check'],
    ],
  ])('by the first rules, of %s', (what, reading, expected) => {
    expect(judge(reading, { rules: undefined })).toEqual(expected);
    expect(judge(reading, { rules: 1 })).toEqual(expected);
    if (what !== 'another surname') expect(judge(reading)).not.toEqual(expected);
    const { facts } = verifyDocumentImage({ development: true }, reading, at);
    expect([facts['print'], Object(facts['fields']).issued_on]).toEqual([undefined, undefined]);
  });

  test('says what print says of its fields', () => {
    const words = [...printed, 'ISS', '04/15/2022', 'SEX', 'F'];
    const printOf = (reading: DocumentReading) =>
      verifyDocumentImage({ development: true, rules: documentRules }, reading, at).facts['print'];
    const always = ['document_number', 'surname', 'date_of_birth', 'expires_on', 'given_names'];
    expect(printOf(sides({ ...nothing, words }, code()))).toEqual({
      found: [...always, 'sex', 'issued_on'],
      missing: [],
      differing: [],
    });
    expect(printOf(sides(front, code()))).toEqual({
      found: always,
      missing: ['issued_on'],
      differing: [],
    });
    expect(printOf(sides({ ...zone('TD3'), words: [...visual, 'Sex', 'M'] }))).toEqual({
      found: ['document_number', 'surname', 'date_of_birth', 'expires_on'],
      missing: ['given_names'],
      differing: ['sex'],
    });
    expect(printOf(sides(zone('TD3')))).toBeUndefined();
  });

  test('are those of its day where its evidence is judged again', async () => {
    // A front and a barcode of two first names.
    const { front: page, back } = await labelled(507);
    const of = (rules: object) => ({
      format: 'trustcheck-evidence/1',
      kind: 'document-image',
      at: at.toISOString(),
      policy: { development: true, ...rules },
      input: { front: base64(page), ...(back ? { back: base64(back) } : {}) },
    });
    const { verdict, facts } = await judgeAnyEvidence(of({}));
    expect([verdict, facts['print']]).toEqual(['passed', undefined]);
    expect(() => parseEvidence(of({ rules: documentRules + 1 }))).toThrow(EvidenceFileError);
  });
});

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');
