import sharp from 'sharp';
import { expect, test } from 'vitest';
import { prepareZXingModule } from 'zxing-wasm/reader';
import { findBarcode } from '../../../../activities/proofs/document/barcode.ts';
import { budgetOf, OverBudget } from '../../../../activities/proofs/document/budget.ts';
import { openTextReader } from '../../../../activities/proofs/document/ocr.ts';
import { findMrz } from '../../../../activities/proofs/document/read-mrz.ts';
import { readDocument } from '../../../../activities/proofs/document/read.ts';
import { readGrey } from '../../../../activities/proofs/images/normalize-image.ts';
import type { Grey } from '../../../../domain/images/grey.ts';
import { verifyDocumentImage } from '../../../../domain/proofs/document/verify-document-image.ts';
import { judgedAt } from '../../../support/fixtures/documents/judge.ts';
import { labelled } from '../../../support/fixtures/documents/labelled.ts';

const bare: Grey = { data: new Uint8Array(200 * 200).fill(200), width: 200, height: 200 };
const { data, width, height } = bare;
const png = await sharp(data, { raw: { width, height, channels: 1 } })
  .png()
  .toBuffer();
const free = () => undefined;

/** Returns a budget of `most` steps. */
function stepsOf(most: number) {
  let asked = 0;
  const spend = (): void => {
    asked += 1;
    if (asked > most) throw new OverBudget('spent');
  };
  return { spend, asked: () => asked };
}

test('a budget is spent after more than twelve seconds of work', () => {
  let now = 5_000;
  const spend = budgetOf(() => now);
  now += 12_000;
  expect(spend).not.toThrow();
  now += 1;
  expect(spend).toThrow(OverBudget);
});

test('each barcode attempt, quarter turn and zone is charged before it starts', async () => {
  const tries = stepsOf(99);
  expect(await findBarcode(bare, tries.spend)).toBeNull();
  expect(tries.asked()).toBe(14);
  await expect(findBarcode(bare, stepsOf(2).spend)).rejects.toBeInstanceOf(OverBudget);
  const reader = await openTextReader();
  const quarters = stepsOf(99);
  reader.words(bare, quarters.spend);
  expect(quarters.asked()).toBe(4);
  expect(() => reader.words(bare, stepsOf(2).spend)).toThrow(OverBudget);
  const page = await readGrey((await labelled(0)).front);
  expect(() => findMrz(page, reader, stepsOf(0).spend)).toThrow(OverBudget);
  // The budget is spent, but the engine is kept.
  expect(await openTextReader()).toBe(reader);
});

test('images over the budget are unreadable, and files that are no image are refused', async () => {
  let worked = 0;
  const clock = (): number => (worked += 13_000);
  const spent = await readDocument({ front: png, back: png }, clock);
  expect(verifyDocumentImage({}, spent, judgedAt)).toMatchObject({
    verdict: 'failed',
    reason_code: 'unreadable',
  });
  expect([spent.front, spent.back].map((side) => side?.refusal)).toEqual([
    'unreadable',
    'unreadable',
  ]);
  const unlike = await readDocument({ front: Buffer.from('text'), back: png }, clock);
  expect(verifyDocumentImage({}, unlike, judgedAt).reason_code).toBe('image_refused');
  const usual = await readDocument({ front: png });
  expect(usual.front.refusal).not.toBe('unreadable');
});

test('an engine that trapped is discarded, and the next reading opens another', async () => {
  const reader = await openTextReader();
  const trap = {
    width,
    height,
    get data(): Uint8Array {
      throw new RangeError('memory access out of bounds');
    },
  };
  expect(() => reader.line(trap)).toThrow('out of bounds');
  const second = await openTextReader();
  expect(second).not.toBe(reader);
  expect(() => second.words(trap, free)).toThrow('out of bounds');
  expect(await openTextReader()).not.toBe(second);
});

test('a barcode decoder that fails to open is discarded', async () => {
  expect(await findBarcode(bare, free, 1)).toBeNull();
  prepareZXingModule({ overrides: { wasmBinary: new ArrayBuffer(8) }, fireImmediately: false });
  await expect(findBarcode(bare, free, 1)).rejects.toThrow();
  expect(await findBarcode(bare, free, 1)).toBeNull();
});
