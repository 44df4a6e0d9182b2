import { domainToASCII } from 'node:url';

const addressLengthMax = 254;
const localBytesMax = 64;
/** One atom of an address, without characters that separate headers, lists or quoted strings. */
const localForm = /^[^\s\p{C}@,;:<>()[\]\\"]{1,64}$/u;
const domainForm = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9-]{2,63}$/;

/** An email address, in a form to send to and a form to compare. */
export interface Address {
  /** The local part as written, with the domain as A-labels. */
  readonly deliverable: string;
  /** With the local part in lower case; domain as A-labels (RFC 5891). */
  readonly comparable: string;
}

/**
 * Reads one plain address: trims it, applies NFC, and writes the domain as lower-case A-labels
 * without a final dot. The local part is case-folded for comparison only. Returns null if the text
 * is not exactly one address. Digests of stored addresses are not computed again after a change of
 * these rules, so that an earlier row never passes to another person.
 */
export function readAddress(text: string): Address | null {
  const address = text.trim().normalize('NFC');
  if (address.length > addressLengthMax) return null;
  const at = address.lastIndexOf('@');
  const local = address.slice(0, at);
  const domain = domainToASCII(address.slice(at + 1).replace(/\.$/, ''));
  if (at < 1 || !localForm.test(local) || !domainForm.test(domain)) return null;
  if (Buffer.byteLength(local) > localBytesMax || /^\.|\.\.|\.$/.test(local)) return null;
  // A numeric last label is an IPv4 address (RFC 3696 §2), not a domain.
  if (/^\d+$/.test(domain.slice(domain.lastIndexOf('.') + 1))) return null;
  const folded = Array.from(local, small).join('').normalize('NFC');
  return { deliverable: `${local}@${domain}`, comparable: `${folded}@${domain}` };
}

/**
 * Returns the lower-case letter, but only if its upper case is that very letter. So two mailboxes
 * are equal only if they differ in case: ı is not i, ſ is not s, ß is not ss.
 */
function small(letter: string): string {
  const lower = letter.toLowerCase();
  return lower.toUpperCase() === letter ? lower : letter;
}
