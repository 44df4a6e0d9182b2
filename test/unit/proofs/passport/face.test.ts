import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { imageHeaderOf } from '../../../../domain/images/image-header.ts';
import { MalformedDer } from '../../../../domain/pki/read-der.ts';
import { faceOf } from '../../../../domain/proofs/passport/data/face.ts';
import { verifyEmrtd } from '../../../../domain/proofs/passport/verify-emrtd.ts';
import { element } from '../../../../simulator/der.ts';
import { dg2Of, faceRecord } from '../../../../simulator/passport/face-record.ts';
import { codestream, jp2, jpeg } from '../../../support/fixtures/passports/faces.ts';
import { at, flipped, mint, vector } from '../../../support/fixtures/passports/fixtures.ts';

const specimen = vector('nfc-dg2-iso39794-mand.dat');
const specimenFace = vector('nfc-dg2-iso39794-face.jp2');
const faultOf = (read: () => unknown): string => {
  try {
    read();
    return 'read';
  } catch (error) {
    return error instanceof MalformedDer ? error.message : String(error);
  }
};

describe('imageHeaderOf', () => {
  it.each([
    ['image/jpeg', jpeg(413, 531)],
    ['image/jp2', jp2(413, 531)],
    ['image/j2c', codestream(413, 531)],
  ])('returns the size of %s', (mediaType, bytes) => {
    expect(imageHeaderOf(bytes)).toEqual({ mediaType, width: 413, height: 531 });
  });

  it.each<[string, Buffer, RegExp]>([
    ['an empty file', Buffer.alloc(0), /too early/],
    ['a PNG', Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'), /neither/],
    [
      'a JPEG with a scan before any frame',
      Buffer.from('ffd8ffda00080000000000000000', 'hex'),
      /no size/,
    ],
    ['a segment shorter than its length field', Buffer.from('ffd8ffe00001ffc0', 'hex'), /no size/],
    ['endless fill bytes', Buffer.from(`ffd8${'ff'.repeat(2_000)}`, 'hex'), /no size/],
    ['a JPEG that ends before its size', jpeg(1, 1).subarray(0, 90), /too early/],
    ['a JPEG with a height of zero', jpeg(413, 0), /impossible/],
    ['a picture that is too wide', codestream(16_385, 10), /impossible/],
    ['a grid smaller than its offset', codestream(0, 531), /impossible/],
    [
      'a box with a length of zero',
      Buffer.concat([jp2(1, 1).subarray(0, 12), Buffer.alloc(64)]),
      /no size/,
    ],
    ['a truncated JPEG 2000 file', jp2(1, 1).subarray(0, 50), /too early/],
  ])('refuses %s', (_, bytes, fault) => {
    expect(faultOf(() => imageHeaderOf(bytes))).toMatch(fault);
  });
});

describe('the face in EF.DG2', () => {
  it('is read from ISO/IEC 39794-5, as in ICAO’s specimen', () => {
    const { image, ...face } = faceOf(specimen);
    expect(face).toEqual({
      encoding: 'iso-39794-5',
      templates: 1,
      mediaType: 'image/jp2',
      width: 413,
      height: 531,
    });
    expect(specimenFace.equals(image)).toBe(true);
  });

  it.each([
    ['image/jpeg', jpeg(240, 320), 0],
    ['image/jp2', jp2(240, 320), 2],
    ['image/j2c', codestream(240, 320), 512],
  ])('is read from ISO/IEC 19794-5 with %s', (mediaType, picture, points) => {
    const face = faceOf(dg2Of([faceRecord(picture, { points }), faceRecord(jpeg(1, 1))]));
    expect(face).toEqual({
      encoding: 'iso-19794-5',
      templates: 2,
      mediaType,
      width: 240,
      height: 320,
      image: face.image,
    });
    expect(picture.equals(face.image)).toBe(true);
    expect(faceOf(dg2Of([faceRecord(picture)], 1, 0x7f2e)).width).toBe(240);
  });

  const picture = jpeg(240, 320);
  it.each<[string, Buffer, RegExp]>([
    ['no template', dg2Of([]), /no biometric template/],
    ['fewer templates than stated', dg2Of([faceRecord(picture)], 2), /number of templates/],
    ['another version', dg2Of([faceRecord(picture, { version: '030\0' })]), /another version/],
    ['no face', dg2Of([faceRecord(picture, { faces: 0 })]), /no face/],
    ['a record longer than its content', dg2Of([faceRecord(picture, { lengthBy: 1 })]), /length/],
    ['a face longer than its record', dg2Of([faceRecord(picture, { faceLengthBy: 1 })]), /cut off/],
    ['a face without a picture', dg2Of([faceRecord(Buffer.alloc(0))]), /cut off/],
    ['too many points', dg2Of([faceRecord(picture, { points: 513 })]), /feature points/],
    ['a record that ends in its header', dg2Of([faceRecord(picture).subarray(0, 20)]), /cut off/],
    ['neither encoding', dg2Of([element(0x30, picture)]), /no face image data block/],
    ['a block without fields', dg2Of([element(0x65)]), /missing/],
    ['another tag', element(0x61, specimen), /another tag/],
  ])('is refused with %s', (_, dg2, fault) => {
    expect(faultOf(() => faceOf(dg2))).toMatch(fault);
  });
});

describe('the facts about the portrait and the chip', () => {
  const factsOf = ({ policy, input }: ReturnType<typeof mint>) =>
    verifyEmrtd(policy, input, at).facts;

  it('describe the portrait that the State signed', () => {
    const sha256 = createHash('sha256').update(specimenFace).digest('hex');
    expect(factsOf(mint({ files: { DG2: specimen } }))['face']).toEqual({
      encoding: 'iso-39794-5',
      media_type: 'image/jp2',
      width: 413,
      height: 531,
      size_bytes: 15_000,
      sha256,
    });
    expect(factsOf(mint())['face']).toBeNull();
  });

  it('omit a changed portrait, and say why a signed one is unreadable', () => {
    const signed = mint({ files: { DG2: specimen } });
    const dataGroups = { ...signed.input.dataGroups, DG2: flipped(specimen, 72_000) };
    expect(
      verifyEmrtd(signed.policy, { ...signed.input, dataGroups }, at).facts['face'],
    ).toBeNull();
    const odd = mint({ files: { DG2: dg2Of([]) } });
    const verdict = verifyEmrtd(odd.policy, odd.input, at);
    expect(verdict.verdict).toBe('passed');
    expect(verdict.facts['face']).toEqual({ unreadable: 'no biometric template' });
  });

  it('mark a chip as clonable unless it answered and its files are genuine', () => {
    const { policy, input } = mint();
    const { activeAuth, ...silent } = input;
    expect(activeAuth).toBeDefined();
    const clonable = (each: typeof input, trust = policy) =>
      verifyEmrtd(trust, each, at).facts['clonable'];
    expect(clonable(input)).toBe(false);
    expect(clonable(silent)).toBe(true);
    expect(clonable(mint({ chipKey: 'none' }).input)).toBe(true);
    expect(clonable(input, { csca: [] })).toBe(true);
  });
});
