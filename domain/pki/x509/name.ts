import { childrenOf, MalformedDer, oidOf, tags, type Element } from '../read-der.ts';

/** An X.501 Name in a comparable form: string types, case and spacing differ between issuers. */
export interface Name {
  readonly key: string;
  /** Compares case and spacing, but not string types, which vary between tools. */
  readonly exact: string;
  /** Like `exact`, with the RDNs sorted: equal for names with the same RDNs in another order. */
  readonly sorted: string;
  /** countryName in capitals; null if absent. */
  readonly country: string | null;
}

/**
 * Reads an X.501 Name SEQUENCE.
 * @throws `MalformedDer`
 */
export function readName(name: Element): Name {
  const parts: string[] = [];
  let country: string | null = null;
  for (const rdn of childrenOf(name.contents)) {
    if (rdn.tag !== tags.set) throw new MalformedDer('not a name');
    const attributes = childrenOf(rdn.contents).map((attribute) => {
      const [type, value, surplus] = childrenOf(attribute.contents);
      if (attribute.tag !== tags.sequence || type?.tag !== tags.oid || !value || surplus) {
        throw new MalformedDer('not a name');
      }
      const text = textOf(value);
      const oid = oidOf(type.contents);
      if (oid === '2.5.4.6') country = text.trim().toUpperCase();
      return `${oid}=${text}`;
    });
    parts.push(attributes.sort().join('\u0001'));
  }
  const exact = parts.join('\u0000');
  return {
    key: exact.normalize('NFKC').replaceAll(/ +/g, ' ').toLowerCase(),
    exact,
    sorted: parts.toSorted().join('\u0000'),
    country,
  };
}

const stringTags: ReadonlySet<number> = new Set([0x0c, 0x13, 0x14, 0x16]);

/**
 * Returns a string of a Name or of an extension.
 * @throws `MalformedDer` for another type
 */
export function textOf(value: Element): string {
  const bytes = Buffer.from(value.contents);
  if (value.tag === tags.bmpString && bytes.length % 2 === 0) {
    return bytes.swap16().toString('utf16le');
  }
  if (!stringTags.has(value.tag)) throw new MalformedDer('a name holds no text');
  return bytes.toString('utf8');
}
