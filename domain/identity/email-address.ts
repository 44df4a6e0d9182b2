import { domainToASCII } from 'node:url';

const addressLengthMax = 254;
const localBytesMax = 64;
/** One atom of an address: nothing that a header, a list or a quoted string is made of. */
const localForm = /^[^\s\p{C}@,;:<>()[\]\\"]{1,64}$/u;
const domainForm = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9-]{2,63}$/;

/** An email address, to write to and to compare by. */
export interface Address {
  /** As it was given, its domain as mail servers know it. */
  readonly deliverable: string;
  /** The same for both cases of its letters; domain as A-labels (RFC 5891). */
  readonly comparable: string;
}

/**
 * Reads one plain address: trimmed, NFC, domain as A-labels in lower case without a dot at its
 * end, local part folded for comparison only. Null for what is none, or more than one.
 */
export function readAddress(text: string): Address | null {
  const given = text.trim().normalize('NFC');
  if (given.length > addressLengthMax) return null;
  const at = given.lastIndexOf('@');
  const local = given.slice(0, at);
  const domain = domainToASCII(given.slice(at + 1).replace(/\.$/, ''));
  if (at < 1 || !localForm.test(local) || !domainForm.test(domain)) return null;
  if (Buffer.byteLength(local) > localBytesMax || /^\.|\.\.|\.$/.test(local)) return null;
  // An all-numeric last label is an IPv4 address to come (RFC 3696 §2), not a domain.
  if (/^\d+$/.test(domain.slice(domain.lastIndexOf('.') + 1))) return null;
  const folded = Array.from(local, small).join('').normalize('NFC');
  return { deliverable: `${local}@${domain}`, comparable: `${folded}@${domain}` };
}

/**
 * The small letter of a capital that is the capital of that very letter; any other stands. So no
 * two mailboxes meet but by the case of a letter: ı is not i, ſ is not s, ß is not ss.
 */
function small(letter: string): string {
  const lower = letter.toLowerCase();
  return lower.toUpperCase() === letter ? lower : letter;
}
