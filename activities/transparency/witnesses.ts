import { z } from 'zod';
import { parseNoteKey, signatureTypes, type NoteKey } from '../../domain/transparency/note.ts';
import { isLoopback } from '../vendors/secure-urls.ts';

/** A server that cosigns checkpoints (C2SP tlog-witness). */
export interface Witness {
  readonly key: NoteKey;
  /** Its submission prefix, without a trailing slash. */
  readonly url: string;
}

export const witnessesMax = 16;
const form = `KEY URL, …: at most ${witnessesMax}, each key once, URLs https or on this machine`;

/** Settings of the witnesses. */
export const witnessConfig = z.object({
  LOG_WITNESSES: z
    .string()
    .transform((text) => text.split(',').map(witnessOf))
    .pipe(z.array(z.custom<Witness>((one) => one !== null, form)).max(witnessesMax, form))
    .refine(
      (all) => new Set(all.map(({ key }) => key.publicKey.toString('hex'))).size === all.length,
      form,
    )
    .optional()
    .describe(
      'Witnesses of the public log, at most 16, separated by commas, each as `name+id+key ' +
        'URL`. The URL is `https:`, or on this machine. Without it, no witness signs.',
    ),
});

/** Reports whether enough witnesses are set. Otherwise each proof waits for signatures in vain. */
export const areWitnessesEnough = (settings: {
  readonly LOG_WITNESSES?: readonly Witness[] | undefined;
  readonly LOG_WITNESSES_WANTED: number;
}): boolean => settings.LOG_WITNESSES_WANTED <= (settings.LOG_WITNESSES ?? []).length;

/** Error of the setting when there are too few witnesses. */
export const witnessesWantedFault = 'must not be over the number of witnesses in LOG_WITNESSES';

function witnessOf(text: string): Witness | null {
  const [name = '', address = '', ...rest] = text.trim().split(/\s+/);
  const key = parseNoteKey(name);
  const url = URL.parse(address);
  const isFar = url?.protocol === 'https:';
  const isHere = url?.protocol === 'http:' && isLoopback(url.hostname.replaceAll(/^\[|\]$/g, ''));
  if (rest.length > 0 || key?.type !== signatureTypes.cosignature || !(isFar || isHere))
    return null;
  return { key, url: address.replace(/\/+$/, '') };
}
