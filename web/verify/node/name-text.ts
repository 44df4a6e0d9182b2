import {
  childrenOf,
  MalformedDer,
  oidOf,
  tags,
  type Element,
} from '../../../domain/pki/read-der.ts';
import { Buffer } from './buffer.ts';

/** Short attribute names of OpenSSL. */
const shortNames = new Map([
  ['2.5.4.3', 'CN'],
  ['2.5.4.4', 'SN'],
  ['2.5.4.5', 'serialNumber'],
  ['2.5.4.6', 'C'],
  ['2.5.4.7', 'L'],
  ['2.5.4.8', 'ST'],
  ['2.5.4.9', 'street'],
  ['2.5.4.10', 'O'],
  ['2.5.4.11', 'OU'],
  ['2.5.4.12', 'title'],
  ['2.5.4.42', 'GN'],
  ['2.5.4.97', 'organizationIdentifier'],
  ['0.9.2342.19200300.100.1.25', 'DC'],
  ['1.2.840.113549.1.9.1', 'emailAddress'],
]);
const stringTags: ReadonlySet<number> = new Set([0x0c, 0x12, 0x13, 0x14, 0x16, 0x1a]);

/**
 * Formats a name as node:crypto does: one attribute per line, special characters escaped (RFC
 * 2253).
 */
export function nameText(name: Element): string {
  return childrenOf(name.contents)
    .map((rdn) => childrenOf(rdn.contents).map(attributeText).join(' + '))
    .join('\n');
}

function attributeText(attribute: Element): string {
  const [type, value, more] = childrenOf(attribute.contents);
  if (type?.tag !== tags.oid || !value || more) throw new MalformedDer('not a name');
  const oid = oidOf(type.contents);
  return `${shortNames.get(oid) ?? oid}=${escaped(textOf(value))}`;
}

function textOf({ tag, contents }: Element): string {
  const bytes = Buffer.from(contents);
  if (tag === tags.bmpString && bytes.length % 2 === 0) return bytes.swap16().toString('utf16le');
  if (!stringTags.has(tag)) throw new MalformedDer('a name holds no text');
  return bytes.toString(tag === 0x0c ? 'utf8' : 'latin1');
}

function escaped(text: string): string {
  return text
    .replaceAll(/[,+"\\<>;]|^[ #]| $/g, '\\$&')
    .replaceAll(/[^\P{Cc}\u0080-\u009f]/gu, (char) => {
      const hex = char.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0');
      return `\\${hex}`;
    });
}
