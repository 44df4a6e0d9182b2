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

describe('the verdict on photographs', () => {
  test.each<[string, DocumentReading, unknown[], DocumentPolicy?]>([
    ['a passport', sides(zone('TD3')), passed],
    ['an identity card with its zone on the back', sides(said, zone('TD1')), passed],
    ['an identity card with its back first', sides(zone('TD1'), said), passed],
    ['only the back of an identity card', sides(zone('TD1')), ['failed', 'side_missing', 'read']],
    [
      'the back of a card, then the front of another card',
      sides(zone('TD1'), ofAnother),
      unreadable,
    ],
    ['the back of a card, then a dark front', sides(zone('TD1'), nothing), unreadable],
    [
      'the back of a card twice',
      sides(zone('TD1'), zone('TD1')),
      ['failed', 'side_missing', 'read'],
    ],
    ['a zone without a front', sides(nothing, zone('TD1')), unreadable],
    ['a zone with the front of another person', sides(ofAnother, zone('TD1')), unreadable],
    ['a zone with the front of a relative', sides(ofRelative, zone('TD1')), doubted],
    [
      'a zone with the front of a relative’s card from the same day',
      sides(sameDay, zone('TD1')),
      doubted,
    ],
    ['a passport zone as the back of no card', sides(nothing, zone('TD3')), unreadable],
    ['a zone and a barcode without a front', sides(nothing, zoneAndCode), unreadable],
    ['an identity card with two lines', sides(zone('TD2')), passed],
    ['a licence with both sides', sides({ ...nothing, words: printed }, code()), passed],
    ['a surname of two letters', sides(namedInPrint('NG'), code({ surname: 'NG' })), passed],
    [
      'a surname of one letter before a comma',
      sides(namedInPrint('O,ANNA'), code({ surname: 'O' })),
      passed,
    ],
    [
      'a surname of two letters that appear only inside another word',
      sides(namedInPrint('WONG'), code({ surname: 'NG' })),
      ['failed', 'front_back_mismatch', 'cross_check'],
    ],
    [
      'a name longer than its barcode element',
      sides({ ...nothing, words: [...printed, longName] }, code({ givenNames: longName })),
      ['failed', 'malformed', 'read'],
    ],
    ['a refused image', sides({ ...nothing, refused: 'x' }), ['failed', 'image_refused', 'image']],
    ['an image without a document', sides(nothing), ['failed', 'no_document', 'locate']],
    ['a dark image', sides({ ...nothing, refusal: 'too_dark' }), ['failed', 'too_dark', 'locate']],
    [
      'an empty front and a reflection on the back',
      sides(nothing, { ...nothing, refusal: 'glare' }),
      ['failed', 'glare', 'locate'],
    ],
    [
      'a cropped zone',
      sides({ ...nothing, isSeen: true, refusal: 'cropped' }),
      ['failed', 'cropped', 'read'],
    ],
    [
      'an unreadable zone',
      sides({ ...nothing, isSeen: true, refusal: 'unreadable' }),
      ['failed', 'unreadable', 'read'],
    ],
    [
      'a wrong check digit',
      sides({ ...nothing, mrz: { lines: wrongDigit } }),
      ['failed', 'mrz_checkdigit', 'check_digits'],
    ],
    [
      'a document that expired yesterday',
      sides(zone('TD3', { expiresOn: '2026-11-20' })),
      ['failed', 'document_expired', 'expiry'],
    ],
    ['a document that expires today', sides(zone('TD3', { expiresOn: '2026-11-21' })), passed],
    ['a visa', sides(zone('MRV-A')), ['failed', 'type_refused', 'read']],
    ['a visa that the policy allows', sides(zone('MRV-B')), passed, { documentTypes: ['visa'] }],
    [
      'a passport when the policy requires a licence',
      sides(zone('TD3')),
      ['failed', 'type_refused', 'read'],
      { documentTypes: ['driving_licence'] },
    ],
    [
      'a country that the policy does not allow',
      sides(zone('TD3')),
      ['failed', 'country_refused', 'read'],
      { countries: ['DEU', 'FRA'] },
    ],
    ['a country that the policy allows', sides(zone('TD3')), passed, { countries: ['UTO'] }],
    [
      'a barcode that is not of a card',
      sides({ ...nothing, words: printed }, { ...nothing, barcode: 'hello' }),
      ['failed', 'malformed', 'read'],
    ],
    [
      'a specimen when only real documents are allowed',
      sides(zone('TD3')),
      ['failed', 'country_unknown', 'read'],
      { development: false },
    ],
    [
      'a specimen’s citizen with a document of a real State',
      sides(zone('TD3', { issuingState: 'D' })),
      ['failed', 'country_unknown', 'read'],
      { development: false },
    ],
    ['a document of a real State', sides(real), passed, { development: false, countries: ['DEU'] }],
    [
      'a zone with a barcode of an unknown format',
      sides({ ...said, barcode: foreign.barcode }, zone('TD1')),
      passed,
    ],
    [
      'only a barcode of an unknown format',
      sides({ ...nothing, words: printed }, foreign),
      ['failed', 'malformed', 'read'],
    ],
    [
      'a barcode with a number of dashes, which the print cannot show',
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
      'a barcode with another birthday',
      sides({ ...nothing, words: printed }, code({ dateOfBirth: '1984-08-12' })),
      ['failed', 'front_back_mismatch', 'cross_check'],
    ],
    [
      'a zone and a barcode of two persons',
      sides(zone('TD3'), code()),
      ['failed', 'front_back_mismatch', 'cross_check'],
    ],
    [
      'a barcode with another first name',
      sides({ ...nothing, words: printed }, code({ givenNames: 'ROBERT MARIA' })),
      ['failed', 'front_back_mismatch', 'cross_check'],
    ],
    [
      'a barcode with another sex',
      sides({ ...nothing, words: [...printed, 'SEX', 'F'] }, code({ sex: 'M' })),
      ['inconclusive', 'front_back_mismatch', undefined],
    ],
    [
      'the label of the sex with two different letters',
      sides({ ...nothing, words: [...printed, 'SEX:', 'F', 'Sex', 'M'] }, code({ sex: 'M' })),
      passed,
    ],
    [
      'the label of the sex before a word',
      sides({ ...nothing, words: [...printed, 'SEX', 'FOO', 'F'] }, code({ sex: 'M' })),
      passed,
    ],
    [
      'an expired barcode with another sex',
      sides(
        { ...nothing, words: [...printed, 'SEX', 'F', '08/12/2025'] },
        code({ sex: 'M', expiresOn: '2025-08-12' }),
      ),
      ['failed', 'document_expired', 'expiry'],
    ],
    [
      'a zone with another sex in the print',
      sides({ ...zone('TD3'), words: [...visual, 'SEX/SEXE', 'M'] }),
      passed,
    ],
    [
      'a barcode with a shortened middle name, as from many issuers',
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
      'two zones, one with a shortened name',
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
  ])('is right for %s', (_, reading, expected, policy) => {
    expect(judge(reading, policy)).toEqual(expected);
  });

  test('does not mark a document of a real State as a specimen', () => {
    const { facts } = verifyDocumentImage({ development: true }, sides(real), at);
    expect([facts['format'], facts['development_root']]).toEqual(['TD3', undefined]);
  });

  test('contains the source and confidence of each field', () => {
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
