import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ProofType } from '../../../workflows/proofs.ts';
import { missing, openBrowser } from '../../support/browser/browser.ts';
import { filmFace, type FaceFilms } from '../../support/browser/camera.ts';
import { photographPassport } from '../../support/browser/finish.ts';
import { visitsSetting } from './campaign.ts';
import { firstPaint, visit, type Pictures, type Visit } from './visit.ts';

/** Milliseconds between two pictures of a movement, and the lights it is seen in. */
const speeds = [250, 330, 450];
const lights = [1, 0.7];

/** Number of measured visits; by default one, which tests the counting. */
const visits = Number(process.env[visitsSetting] ?? 1);
const isMeasured = visits > 1;
const slower = 4;

const asked: readonly (readonly ProofType[])[] = isMeasured
  ? [['phone'], ['document'], ['document', 'biometric'], ['phone', 'document', 'biometric']]
  : [['phone']];

const medianOf = (values: readonly number[]): number => {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.trunc(sorted.length / 2)] ?? 0;
};

function rowOf(proofs: readonly ProofType[], measured: readonly Visit[]): string {
  const of = (part: keyof Visit, digits = 0) =>
    medianOf(measured.map((one) => one[part])).toFixed(digits);
  const kilobytes = (part: 'received' | 'sent') =>
    (medianOf(measured.map((one) => one[part])) / 1000).toFixed(0);
  const within = measured.filter((one) => one.faceAttempts <= 2).length;
  const faces = proofs.includes('biometric') ? `${within} of ${visits}` : '–';
  const cells = [
    proofs.join(', '),
    of('steps'),
    of('seconds', 1),
    of('requests'),
    kilobytes('received'),
    kilobytes('sent'),
    faces,
  ];
  return `| ${cells.join(' | ')} |`;
}

describe.skipIf(missing)('a person who finishes a check in a browser', () => {
  let browser: Browser;
  let passport: Uint8Array = new Uint8Array();
  let faces: readonly FaceFilms[] = [];
  /** Returns the camera pictures of a visit: each speed in each light in turn. */
  const picturesOf = (number: number): Pictures => {
    const films = faces[number % faces.length];
    return { passport, face: films ?? { pictures: {}, gapMs: 0 } };
  };
  beforeAll(async () => {
    browser = await openBrowser();
    if (!isMeasured) return;
    passport = await photographPassport();
    const films = await Promise.all(lights.map(filmFace));
    faces = films.flatMap((film) => speeds.map((gapMs) => ({ ...film, gapMs })));
  }, 300_000);
  afterAll(() => browser.close());

  it('is measured from the address to the affidavit', { timeout: 7_200_000 }, async () => {
    const rows: string[] = [];
    for (const proofs of asked) {
      const measured: Visit[] = [];
      for (let number = 0; number < visits; number += 1) {
        const one = await visit(browser, proofs, picturesOf(number));
        if (one) measured.push(one);
      }
      expect(measured.length).toBeGreaterThan(visits / 2);
      rows.push(rowOf(proofs, measured));
      for (const one of measured) {
        expect(one.steps).toBeGreaterThan(3);
        expect(one.requests).toBeGreaterThan(5);
        expect(Math.min(one.received, one.sent)).toBeGreaterThan(1000);
      }
    }
    const paints: number[] = [];
    for (let number = 0; number < visits; number += 1) {
      paints.push(await firstPaint(browser, slower));
    }
    expect(Math.min(...paints)).toBeGreaterThan(0);
    const head = '| proofs | steps | seconds | requests | kB in | kB out | face in two |';
    const paint = `first paint, processor ${slower} times slower: ${medianOf(paints).toFixed(0)} ms`;
    console.log([head, '|---|---|---|---|---|---|---|', ...rows, paint].join('\n'));
  });
});
