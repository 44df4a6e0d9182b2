import { z } from 'zod';

/** Decimal digits in their only accepted spelling: no sign, point, exponent or leading zero. */
const decimal = /^(?:0|[1-9]\d{0,15})$/;

/** Only for text that is not an integer. The message for a number out of range names the bound. */
const wordsOf: z.core.$ZodErrorMap = ({ code }) =>
  code === 'invalid_type' ? 'must be a whole number in decimal digits' : undefined;

/** An integer in a path or a query, where it arrives as text. Set a default with `prefault`. */
export function integerText(min: number, max?: number) {
  const integer = z.int({ error: wordsOf }).min(min);
  return z.preprocess(
    (given) => (typeof given === 'string' && decimal.test(given) ? Number(given) : given),
    max === undefined ? integer : integer.max(max),
  );
}
