import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import sharp from 'sharp';
import { photographDocument } from '../../simulator/document/camera.ts';
import { shownDocumentOf, shownDocuments } from '../../simulator/failures/shown-document.ts';
import { printedPortrait } from '../../simulator/face/face.ts';
import { complain, say } from './command-parts.ts';

export interface DocumentCommand {
  readonly portrait?: string;
  readonly document: string;
  readonly out: string;
}

/** Size of a passport photograph, 35 by 45 mm, in pixels. */
const portraitSize = { width: 420, height: 540 } as const;

/**
 * Runs `trustcheck phone document`: writes photographs of the specimen document to show to a
 * camera. Exit code 2 for wrong usage.
 */
export async function documentFromCommand(options: DocumentCommand): Promise<number> {
  const document = shownDocumentOf(options.document);
  if (!document) return complain(`--document: one of ${shownDocuments.join(', ')}`);
  const portrait = await portraitOf(options.portrait);
  if (!portrait) return complain(`--portrait ${options.portrait}: cannot be read as a picture`);
  const { front, back } = await photographDocument(new Date(), { document, portrait });
  await mkdir(options.out, { recursive: true });
  for (const [side, picture] of Object.entries({ front, back })) {
    if (!picture) continue;
    const path = resolve(options.out, `${document}-${side}.jpg`);
    await writeFile(path, picture);
    say(path);
  }
  return 0;
}

/** Returns the picture of a file in the size printed on a document; null if it is not a picture. */
async function portraitOf(path: string | undefined): Promise<Uint8Array | null> {
  if (path === undefined) return printedPortrait();
  const cut = { ...portraitSize, fit: 'cover', position: sharp.strategy.attention } as const;
  const printed = async (): Promise<Uint8Array> =>
    sharp(await readFile(path))
      .autoOrient()
      .resize(cut)
      .jpeg()
      .toBuffer();
  return printed().catch(() => null);
}
