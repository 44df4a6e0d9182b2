/** An object of a revision; `body` is the part between `obj` and `endobj`. */
export interface NewObject {
  readonly number: number;
  readonly body: Uint8Array | string;
}

/** The values that a revision needs from the previous one. */
export interface LastRevision {
  /** Offset of its cross-reference stream. */
  readonly startsAt: number;
  /** One more than its largest object number. */
  readonly size: number;
  readonly root: number;
  /** Root, Info and ID, as written. */
  readonly kept: string;
}

const dictionaryMax = 4096;

/** Reads the last cross-reference stream of a file (ISO 32000-1 §7.5.8). Throws if it has none. */
export function lastRevisionOf(pdf: Buffer): LastRevision {
  const end = pdf.subarray(-64).toString('latin1');
  const startsAt = Number(/startxref\s+(\d{1,10})\s+%%EOF\s*$/.exec(end)?.[1]);
  const head = pdf.subarray(startsAt, startsAt + dictionaryMax).toString('latin1');
  const dictionary = /^\d+ 0 obj\s*<<([^]*?)>>\s*stream/.exec(head)?.[1];
  const size = Number(/\/Size (\d{1,7})/.exec(dictionary ?? '')?.[1]);
  const root = Number(/\/Root (\d{1,7}) 0 R/.exec(dictionary ?? '')?.[1]);
  if (!dictionary || !Number.isInteger(size) || !Number.isInteger(root)) {
    throw new Error('the file does not end in a cross-reference stream');
  }
  const kept = [/\/Root \d+ 0 R/, /\/Info \d+ 0 R/, /\/ID \[[^\]]*\]/].flatMap(
    (entry) => entry.exec(dictionary)?.[0].replaceAll(/\s+/g, ' ') ?? [],
  );
  return { startsAt, size, root, kept: kept.join(' ') };
}

/**
 * Appends a revision (ISO 32000-1 §7.5.6): the objects and a cross-reference stream for them, and
 * nothing after it. Deterministic: the same input gives the same bytes.
 */
export function appendRevision(pdf: Buffer, objects: readonly NewObject[]): Buffer {
  const last = lastRevisionOf(pdf);
  const size = Math.max(last.size, ...objects.map(({ number }) => number + 1));
  const parts: Buffer[] = [pdf, Buffer.from('\n')];
  let offset = pdf.length + 1;
  const places: Place[] = [];
  for (const { number, body } of objects) {
    const bytes = Buffer.concat([
      Buffer.from(`${number} 0 obj\n`),
      Buffer.from(body),
      Buffer.from('\nendobj\n'),
    ]);
    places.push({ number, offset });
    parts.push(bytes);
    offset += bytes.length;
  }
  places.push({ number: size, offset });
  places.sort((one, other) => one.number - other.number);
  const entries = Buffer.concat(places.map(entryOf));
  const dictionary =
    `/Type /XRef /Size ${size + 1} ${last.kept} /Prev ${last.startsAt} ` +
    `/W [1 4 1] /Index [${indexOf(places)}] /Length ${entries.length}`;
  parts.push(
    Buffer.from(`${size} 0 obj\n<< ${dictionary} >>\nstream\n`, 'latin1'),
    entries,
    Buffer.from(`\nendstream\nendobj\nstartxref\n${offset}\n%%EOF`),
  );
  return Buffer.concat(parts);
}

interface Place {
  readonly number: number;
  readonly offset: number;
}

/** Returns the entry of an object in use: type 1, its offset, generation 0. */
function entryOf({ offset }: Place): Buffer {
  const entry = Buffer.alloc(6);
  entry[0] = 1;
  entry.writeUInt32BE(offset, 1);
  return entry;
}

/** Returns the runs of object numbers, each as first number and count. */
function indexOf(places: readonly Place[]): string {
  const runs: { first: number; count: number }[] = [];
  for (const { number } of places) {
    const run = runs.at(-1);
    if (run && run.first + run.count === number) run.count += 1;
    else runs.push({ first: number, count: 1 });
  }
  return runs.map(({ first, count }) => `${first} ${count}`).join(' ');
}

/** Returns a stream without a filter. */
export function streamOf(bytes: Uint8Array): Buffer {
  const head = `<< /Length ${bytes.length} >>\nstream\n`;
  return Buffer.concat([Buffer.from(head), bytes, Buffer.from('\nendstream')]);
}
