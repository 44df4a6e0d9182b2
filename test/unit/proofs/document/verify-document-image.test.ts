import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { DocumentReading } from '../../../../domain/proofs/document/reading.ts';
import {
  verifyDocumentImage,
  type DocumentPolicy,
} from '../../../../domain/proofs/document/verify-document-image.ts';
import { holder } from './holder.ts';
import {
  at,
  printed,
  visual,
  nothing,
  namedInPrint,
  longName,
  zone,
  real,
  code,
  sides,
  judge,
  passed,
  foreign,
  wrongDigit,
} from './readings.ts';

const said = { ...nothing, words: visual };
const ofAnother = { ...nothing, words: 'X0000001 Nilsson 01 JAN 1970 15 APR 2031'.split(' ') };
const ofRelative = { ...nothing, words: 'X0000001 Eriksson 01 JAN 1970 15 APR 2031'.split(' ') };
const sameDay = { ...nothing, words: 'X0000001 Eriksson 01 JAN 1970 15 APR 2030'.split(' ') };
const zoneAndCode = { ...zone('TD1'), barcode: foreign.barcode };
const unreadable = ['failed', 'unreadable', 'cross_check'];
const doubted = ['inconclusive', 'front_back_mismatch', undefined];

describe('a photographed document', () => {
  test.each<[string, DocumentReading, unknown[], DocumentPolicy?]>([
    ['a passport', sides(zone('TD3')), passed],
    ['an identity card, its zone on the back', sides(said, zone('TD1')), passed],
    ['an identity card, its back first', sides(zone('TD1'), said), passed],
    ['the back of an identity card alone', sides(zone('TD1')), ['failed', 'side_missing', 'read']],
    ['the back of a card before the card of another', sides(zone('TD1'), ofAnother), unreadable],
    ['the back of a card before its front in the dark', sides(zone('TD1'), nothing), unreadable],
    ['that back twice', sides(zone('TD1'), zone('TD1')), ['failed', 'side_missing', 'read']],
    ['a zone behind no card', sides(nothing, zone('TD1')), unreadable],
    ['a zone behind the card of another', sides(ofAnother, zone('TD1')), unreadable],
    ['a zone behind the card of a relative', sides(ofRelative, zone('TD1')), doubted],
    ['a zone behind the card a relative got that day', sides(sameDay, zone('TD1')), doubted],
    ['a passport behind no card', sides(nothing, zone('TD3')), unreadable],
    ['a zone and a barcode behind no card', sides(nothing, zoneAndCode), unreadable],
    ['an identity card of two lines', sides(zone('TD2')), passed],
    ['a licence with both sides', sides({ ...nothing, words: printed }, code()), passed],
    ['a surname of two letters', sides(namedInPrint('NG'), code({ surname: 'NG' })), passed],
    ['of one, before a comma', sides(namedInPrint('O,ANNA'), code({ surname: 'O' })), passed],
    [
      'a surname of two letters that stand in other words alone',
      sides(namedInPrint('WONG'), code({ surname: 'NG' })),
      ['failed', 'front_back_mismatch', 'cross_check'],
    ],
    [
      'a name longer than an element',
      sides({ ...nothing, words: [...printed, longName] }, code({ givenNames: longName })),
      ['failed', 'malformed', 'read'],
    ],
    ['no image', sides({ ...nothing, refused: 'x' }), ['failed', 'image_refused', 'image']],
    ['nothing', sides(nothing), ['failed', 'no_document', 'locate']],
    ['in the dark', sides({ ...nothing, refusal: 'too_dark' }), ['failed', 'too_dark', 'locate']],
    [
      'nothing in front, a reflection on the back',
      sides(nothing, { ...nothing, refusal: 'glare' }),
      ['failed', 'glare', 'locate'],
    ],
    [
      'a zone that is cut off',
      sides({ ...nothing, isSeen: true, refusal: 'cropped' }),
      ['failed', 'cropped', 'read'],
    ],
    [
      'a zone that nobody can read',
      sides({ ...nothing, isSeen: true, refusal: 'unreadable' }),
      ['failed', 'unreadable', 'read'],
    ],
    [
      'a wrong check digit',
      sides({ ...nothing, mrz: { lines: wrongDigit } }),
      ['failed', 'mrz_checkdigit', 'check_digits'],
    ],
    [
      'expired yesterday',
      sides(zone('TD3', { expiresOn: '2026-11-20' })),
      ['failed', 'document_expired', 'expiry'],
    ],
    ['good for today', sides(zone('TD3', { expiresOn: '2026-11-21' })), passed],
    ['a visa', sides(zone('MRV-A')), ['failed', 'type_refused', 'read']],
    ['a visa where asked for', sides(zone('MRV-B')), passed, { documentTypes: ['visa'] }],
    [
      'a passport where a licence is asked for',
      sides(zone('TD3')),
      ['failed', 'type_refused', 'read'],
      { documentTypes: ['driving_licence'] },
    ],
    [
      'a country that is not taken',
      sides(zone('TD3')),
      ['failed', 'country_refused', 'read'],
      { countries: ['DEU', 'FRA'] },
    ],
    ['a country that is', sides(zone('TD3')), passed, { countries: ['UTO'] }],
    [
      'a barcode that is no card',
      sides({ ...nothing, words: printed }, { ...nothing, barcode: 'hello' }),
      ['failed', 'malformed', 'read'],
    ],
    [
      'a specimen where only real documents are taken',
      sides(zone('TD3')),
      ['failed', 'country_unknown', 'read'],
      { development: false },
    ],
    [
      'a citizen of the specimens, of a State that exists',
      sides(zone('TD3', { issuingState: 'D' })),
      ['failed', 'country_unknown', 'read'],
      { development: false },
    ],
    [
      'a document of a State that exists',
      sides(real),
      passed,
      { development: false, countries: ['DEU'] },
    ],
    [
      'a zone behind a barcode of another kind',
      sides({ ...said, barcode: foreign.barcode }, zone('TD1')),
      passed,
    ],
    [
      'a barcode of another kind alone',
      sides({ ...nothing, words: printed }, foreign),
      ['failed', 'malformed', 'read'],
    ],
    [
      'a barcode whose number is no letter and no digit, which no print shows',
      sides({ ...nothing, words: printed }, code({ documentNumber: '---' })),
      ['failed', 'front_back_mismatch', 'cross_check'],
    ],
    ['a barcode without a front', sides(code()), ['failed', 'unreadable', 'cross_check']],
    [
      'a barcode of another card',
      sides({ ...nothing, words: printed }, code({ documentNumber: 'D7654321' })),
      ['failed', 'front_back_mismatch', 'cross_check'],
    ],
    [
      'a barcode of another birthday',
      sides({ ...nothing, words: printed }, code({ dateOfBirth: '1984-08-12' })),
      ['failed', 'front_back_mismatch', 'cross_check'],
    ],
    [
      'zone and barcode of two people',
      sides(zone('TD3'), code()),
      ['failed', 'front_back_mismatch', 'cross_check'],
    ],
    [
      'a barcode of another first name',
      sides({ ...nothing, words: printed }, code({ givenNames: 'ROBERT MARIA' })),
      ['failed', 'front_back_mismatch', 'cross_check'],
    ],
    [
      'a barcode of another sex',
      sides({ ...nothing, words: [...printed, 'SEX', 'F'] }, code({ sex: 'M' })),
      ['inconclusive', 'front_back_mismatch', undefined],
    ],
    [
      'the label of a sex beside two letters',
      sides({ ...nothing, words: [...printed, 'SEX:', 'F', 'Sex', 'M'] }, code({ sex: 'M' })),
      passed,
    ],
    [
      'the label of a sex and a word',
      sides({ ...nothing, words: [...printed, 'SEX', 'FOO', 'F'] }, code({ sex: 'M' })),
      passed,
    ],
    [
      'a barcode of another sex, expired',
      sides(
        { ...nothing, words: [...printed, 'SEX', 'F', '08/12/2025'] },
        code({ sex: 'M', expiresOn: '2025-08-12' }),
      ),
      ['failed', 'document_expired', 'expiry'],
    ],
    [
      'a zone whose print names another sex',
      sides({ ...zone('TD3'), words: [...visual, 'SEX/SEXE', 'M'] }),
      passed,
    ],
    [
      'a barcode with another middle name, which many issuers shorten',
      sides({ ...nothing, words: printed }, code({ givenNames: 'ANNA M' })),
      passed,
    ],
    ...(
      [
        ['first name', { givenNames: 'ROBERT' }],
        ['sex', { sex: 'M' }],
        ['nationality', { nationality: 'D' }],
      ] as const
    ).map(([what, change]): [string, DocumentReading, unknown[]] => [
      `two zones that differ in ${what} alone`,
      sides(zone('TD3'), zone('TD1', { holder: { ...holder, ...change } })),
      ['failed', 'front_back_mismatch', 'cross_check'],
    ]),
    [
      'two zones of which one cuts a name',
      sides(zone('TD3'), zone('TD1', { holder: { ...holder, givenNames: 'ANN' } })),
      passed,
    ],
    [
      'two zones of two documents',
      sides(zone('TD3'), zone('TD1', { documentNumber: 'X1234567' })),
      ['failed', 'front_back_mismatch', 'cross_check'],
    ],
    ['the same zone twice', sides(zone('TD3'), zone('TD1')), passed],
    [
      'an expired licence',
      sides({ ...nothing, words: [...printed, '08/12/2025'] }, code({ expiresOn: '2025-08-12' })),
      ['failed', 'document_expired', 'expiry'],
    ],
  ])('%s', (_, reading, expected, policy) => {
    expect(judge(reading, policy)).toEqual(expected);
  });

  test('of a real State does not count as a specimen', () => {
    const { facts } = verifyDocumentImage({ development: true }, sides(real), at);
    expect([facts['format'], facts['development_root']]).toEqual(['TD3', undefined]);
  });

  test('has facts with the source and confidence of each field', () => {
    const reading = sides({ ...zone('TD3'), words: visual });
    const { facts } = verifyDocumentImage({ development: true }, reading, at);
    const of = (value: string, confidence: string) => ({ value, source: 'mrz', confidence });
    expect(facts).toEqual({
      development_root: true,
      format: 'TD3',
      // The same hash as for the chip, so that both are recognized as one document.
      document_number_hash: createHash('sha256').update('L898902C3').digest('hex'),
      fields: {
        document_type: of('passport', 'read'),
        issuing_country: of('UTO', 'read'),
        document_number: of('L898902C3', 'confirmed'),
        surname: of('ERIKSSON', 'confirmed'),
        given_names: of('ANNA MARIA', 'read'),
        full_name: of('ANNA MARIA ERIKSSON', 'read'),
        date_of_birth: of('1974-08-12', 'confirmed'),
        nationality: of('UTO', 'read'),
        sex: of('F', 'read'),
        expires_on: of('2030-04-15', 'confirmed'),
      },
      print: {
        found: ['document_number', 'surname', 'date_of_birth', 'expires_on'],
        missing: ['given_names'],
        differing: [],
      },
    });
  });
});
