import { Ajv2020 } from 'ajv/dist/2020.js';
import * as ajvFormats from 'ajv-formats';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkedInDocument } from '../../../../api/docs/documents.ts';
import { operations, resolved } from '../operations.ts';
import { validOf } from './values.ts';
import { wrongObject } from './wrong-values.ts';

const ajv = new Ajv2020({ strict: false, validateSchema: false });
ajvFormats.default.default(ajv);
ajv.addSchema(JSON.parse(checkedInDocument('openapi.json')) as object, 'document');
const taking = operations.flatMap(({ id, body }) => (body ? [{ id, body }] : []));
const samplesMax = 40;

describe.each(taking)('generated bodies for $id', ({ body }) => {
  const isValid = ajv.compile({ ...body, $ref: `document${body.$ref ?? '#'}` });
  const options = { numRuns: samplesMax, seed: 7 };

  it('match their schema, except for ids that are filled in later', () => {
    const made = fc.sample(validOf(body), options).map((value) => JSON.stringify(value));
    const whole = made.filter((text) => !text.includes('known:'));
    const wrong = whole.filter((text) => !isValid(JSON.parse(text)));
    expect(made.length).toBe(samplesMax);
    expect(wrong).toEqual([]);
  });

  it('violate the schema in more than a tenth of the wrong samples', () => {
    const made = fc.sample(wrongObject(resolved(body)), options);
    const off = made.filter((value) => !isValid(JSON.parse(JSON.stringify(value))));
    expect(off.length).toBeGreaterThan(samplesMax / 10);
  });
});
