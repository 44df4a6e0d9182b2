/**
 * The bytes that a text spells in base64url without padding (RFC 4648 §5), or null. With a last
 * character of bits to spare the same bytes are spelled four or sixteen ways: only one of them is
 * taken, so that a token that is spent or compared by its text has no second one (§3.5).
 */
export function bytesOfBase64url(text: string): Buffer | null {
  if (text === '') return null;
  const bytes = Buffer.from(text, 'base64url');
  // Node reads past what is no character of it: none of that is written again.
  return bytes.toString('base64url') === text ? bytes : null;
}
