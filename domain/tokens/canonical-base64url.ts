/**
 * Decodes base64url without padding (RFC 4648 §5); null for any other text. If the last character
 * has unused bits, four or sixteen texts decode to the same bytes. Only the canonical one is
 * accepted, so that a token that is spent or compared as text has one form (§3.5).
 */
export function bytesOfBase64url(text: string): Buffer | null {
  if (text === '') return null;
  const bytes = Buffer.from(text, 'base64url');
  // Node skips invalid characters, and encoding does not restore them.
  return bytes.toString('base64url') === text ? bytes : null;
}
