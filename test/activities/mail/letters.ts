/** A letter as the platform writes them, and what no driver may hand on. */
export const letter = {
  to: 'anna@example.test',
  subject: 'Please confirm who you are',
  text: 'Line one\nhttps://trust.test/v2/a/b#t=link-token',
  html: '<p>Line one</p><a href="https://trust.test/v2/a/b#t=link-token">Open</a>',
  idempotencyKey: 'link-invite/1',
};

export const wrongAddresses = [
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

export const wrongSubjects = [
  'a\r\nBcc: x@y.test',
  'a\nb',
  'a\rb',
  'a\u0000b',
  'a\u2028b',
  '',
  'x'.repeat(501),
];

export const wrongCategories = ['', 'a b', 'ä', 'x'.repeat(101)];

/** What a send fails with, or `no fault`. */
export async function faultOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => 'no fault',
    (error: unknown) => error,
  );
}
