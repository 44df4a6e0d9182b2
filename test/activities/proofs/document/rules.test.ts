import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { readDocument } from '../../../../activities/proofs/document/read.ts';
import { nameImages } from '../../../../domain/evidence/binding.ts';
import { EvidenceFileError } from '../../../../domain/evidence/file.ts';
import { parseEvidence } from '../../../../domain/judging/files.ts';
import type { ImageReaders } from '../../../../domain/judging/verifiers.ts';
import type { DocumentReading } from '../../../../domain/proofs/document/reading.ts';
import { documentRules } from '../../../../domain/proofs/document/rules.ts';
import { verifyDocumentImage } from '../../../../domain/proofs/document/verify-document-image.ts';
import { labelled } from '../../../support/fixtures/documents/labelled.ts';
import { outlivedOf, weaker } from '../../../unit/evidence/leaves.ts';
import {
  at,
  code,
  front,
  nothing,
  printed,
  sides,
  visual,
  zone,
} from '../../../unit/proofs/document/readings.ts';

describe('the rules of a document', () => {
  test('compare the printed text with each field', () => {
    const words = [...printed, 'ISS', '04/15/2022', 'SEX', 'F'];
    const printOf = (reading: DocumentReading) =>
      verifyDocumentImage({ development: true }, reading, at).facts['print'];
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

  // Cached, because the same images give the same reading.
  const photographs = labelled(494);
  const readings = new Map<string, Promise<DocumentReading>>();
  const readers: ImageReaders = {
    readDocument(images) {
      const key = sha256(Buffer.concat([images.front, images.back ?? new Uint8Array()]));
      const reading = readings.get(key) ?? readDocument(images);
      readings.set(key, reading);
      return reading;
    },
    readFaces: () => Promise.reject(new Error('no faces')),
  };
  const evidenceOf = async (policy: object) => {
    const { front: page, back } = await photographs;
    return nameImages({
      format: 'trustcheck-evidence/1',
      kind: 'document-image',
      at: at.toISOString(),
      policy: { development: true, rules: documentRules, ...policy },
      input: { front: base64(page), ...(back ? { back: base64(back) } : {}) },
    });
  };

  test('reject evidence of another version of the rules', async () => {
    for (const rules of [undefined, documentRules + 1]) {
      const unknown = await evidenceOf({ rules });
      expect(() => parseEvidence(unknown)).toThrow(EvidenceFileError);
    }
  });

  test('judge or bind every other leaf of the evidence, including its images', async () => {
    const narrow = { document_types: ['driving_licence'], countries: ['CAN'] };
    const file = await evidenceOf(narrow);
    const outlived = await outlivedOf(file, readers);
    expect(outlived).toEqual(weaker('development', ['altered', 'removed']));
    expect(readings.size).toBe(1);
  });
});

const base64 = (image: Uint8Array): string => Buffer.from(image).toString('base64');
const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
