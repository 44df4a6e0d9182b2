/** A decoded message (RFC 5322 and RFC 2045 to 2047). */
export interface MimeMessage {
  /** Header fields by lowercase name, unfolded and decoded. */
  readonly headers: Readonly<Record<string, string>>;
  /** The alternatives in order. Line ends are `\n`. */
  readonly parts: readonly { readonly type: string; readonly text: string }[];
}

const lineBytesMax = 998;

/**
 * Parses a message strictly.
 * @throws for input that a server may reject or a reader may misread: a bare CR or LF (RFC 5321
 * §2.3.8), a line over 998 bytes or bytes over 127 (RFC 5322 §2.1), a duplicate field
 */
export function readMime(raw: Buffer): MimeMessage {
  const source = raw.toString('latin1');
  if (/[^\r]\n|\r[^\n]/.test(source)) throw new Error('a bare CR or LF');
  const lines = source.split('\r\n');
  if (lines.some((line) => line.length > lineBytesMax)) throw new Error('a line over 998 bytes');
  if (/[\x80-\xff\0]/.test(source)) throw new Error('a byte that is not ASCII');
  const { headers, body } = readEntity(source);
  const boundary = /^multipart\/alternative;.*boundary="?([^";]+)"?/s.exec(
    headers['content-type'] ?? '',
  )?.[1];
  if (boundary === undefined) return { headers, parts: [readPart(headers, body)] };
  const [, ...rest] = `\r\n${body}`.split(`\r\n--${boundary}`);
  if (!rest.at(-1)?.startsWith('--')) throw new Error('the last boundary is missing');
  const parts = rest.slice(0, -1).map((entity) => {
    const read = readEntity(entity.replace(/^\r\n/, ''));
    return readPart(read.headers, read.body);
  });
  return { headers, parts };
}

function readEntity(source: string): { headers: Record<string, string>; body: string } {
  const end = source.indexOf('\r\n\r\n');
  if (end < 0) throw new Error('no end of the header');
  const headers: Record<string, string> = {};
  for (const field of source.slice(0, end).split(/\r\n(?![ \t])/)) {
    const [, name, value] = /^([!-9;-~]+):[ \t]*(.*)$/s.exec(field) ?? [];
    if (name === undefined || value === undefined) throw new Error('not a header field');
    if (name.toLowerCase() in headers) throw new Error(`${name} twice`);
    headers[name.toLowerCase()] = decodeWords(value.replaceAll(/\r\n(?=[ \t])/g, ''));
  }
  return { headers, body: source.slice(end + 4) };
}

/** Decodes encoded words (RFC 2047 §2). White space between two of them is ignored (§6.2). */
function decodeWords(value: string): string {
  return value
    .replaceAll(/\?=[ \t]+=\?/g, '?==?')
    .replaceAll(/(?:=\?utf-8\?[QB]\?[^?]*\?=)+/gi, (words) => {
      const bytes = [...words.matchAll(/=\?utf-8\?([QB])\?([^?]*)\?=/gi)].map(([, how, coded]) =>
        how?.toUpperCase() === 'B'
          ? Buffer.from(coded ?? '', 'base64')
          : fromQuoted((coded ?? '').replaceAll('_', ' ')),
      );
      return Buffer.concat(bytes).toString('utf8');
    });
}

function readPart(headers: Record<string, string>, body: string): { type: string; text: string } {
  const [, type = '', charset] =
    /^([a-z]+\/[a-z]+)(?:;\s*charset="?([\w-]+)"?)?$/.exec(headers['content-type'] ?? '') ?? [];
  if (charset?.toLowerCase() !== 'utf-8') throw new Error('a part without its charset');
  const coding = headers['content-transfer-encoding'] ?? '7bit';
  const bytes =
    coding === 'base64'
      ? Buffer.from(body, 'base64')
      : coding === 'quoted-printable'
        ? fromQuoted(body.replaceAll(/[ \t]*=\r\n/g, (soft) => soft.slice(0, -3)))
        : Buffer.from(body, 'latin1');
  return { type, text: bytes.toString('utf8').replaceAll('\r\n', '\n') };
}

function fromQuoted(text: string): Buffer {
  const plain = text.replaceAll(/=([0-9A-F]{2})/g, (_coded, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return Buffer.from(plain, 'latin1');
}
