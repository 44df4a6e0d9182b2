import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import type { Mail, Mailer } from '../../../activities/delivery/mail/port.ts';

/** A letter as the platform writes it, and letters that no driver may send. */
export const letter = {
  to: 'anna@example.test',
  subject: 'Please confirm who you are',
  text: 'Line one\nhttps://trust.test/v2/a/b#t=link-token',
  html: '<p>Line one</p><a href="https://trust.test/v2/a/b#t=link-token">Open</a>',
  idempotencyKey: 'link-invite/1',
};

const wrongAddresses = [
  'anna@example.test\r\nBcc: other@example.test',
  'anna@example.test\nother@example.test',
  'anna@example.test, other@example.test',
  'anna@example.test;other@example.test',
  'Anna <anna@example.test>',
  '"anna"@example.test',
  'anna@example.test\u0000',
  'an\u202ena@example.test',
  'an na@example.test',
  'anna@@example.test',
  'anna',
  '@example.test',
  'anna@',
  '',
  `${'a'.repeat(65)}@example.test`,
  `a@${'b'.repeat(1_000_000)}`,
];

const wrongSubjects = [
  'a\r\nBcc: x@y.test',
  'a\nb',
  'a\rb',
  'a\u0000b',
  'a\u2028b',
  '',
  'x'.repeat(501),
];

const wrongCategories = ['', 'a b', 'ä', 'x'.repeat(101)];

/** Returns the error of a send, or `no fault`. */
export async function faultOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => 'no fault',
    (error: unknown) => error,
  );
}

/** Tests letters that no driver sends; `sent` counts what has reached the other side. */
export function describeRefusedLetters(mailer: () => Mailer, sent: () => number): void {
  describe('a letter that is refused before sending', () => {
    const refusalOf = async (change: Partial<Mail>): Promise<unknown> => {
      const before = sent();
      const fault = await faultOf(mailer().send({ ...letter, ...change }));
      expect(fault).toMatchObject({ code: 'mail_rejected' });
      expect(sent()).toBe(before);
      return fault;
    };

    it.for(wrongAddresses)('has an invalid address (%#)', async (to) => {
      const fault = await refusalOf({ to });
      if (to) expect(inspect(fault, { depth: Infinity })).not.toContain(to);
    });

    it.for(wrongSubjects)('has an invalid subject (%#)', async (subject) => {
      await refusalOf({ subject });
    });

    it.for(wrongCategories)('has an invalid category (%#)', async (category) => {
      await refusalOf({ category });
    });
  });
}
