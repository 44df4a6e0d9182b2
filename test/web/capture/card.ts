import { expect } from 'vitest';
import { photographDocument } from '../../../simulator/document/camera.ts';
import type { PhoneFailure } from '../../../simulator/failures/failures.ts';
import { printedPortrait } from '../../../simulator/face/face.ts';
import { holdBefore } from '../../support/browser/camera.ts';
import { waitForScreen } from '../../support/browser/follow.ts';
import type { Person } from '../../support/browser/person.ts';

/** Photographs both sides of an identity card, genuine or with one fault. */
export async function photographCard(fail?: PhoneFailure) {
  const portrait = await printedPortrait();
  const shown = { document: 'identity_card', portrait, fail } as const;
  const { front, back } = await photographDocument(new Date(), shown);
  if (!back) throw new Error('a card has two sides');
  return { front, back };
}

/** Photographs a side with the button, unless the automatic shutter is faster. */
export async function shoot(
  person: Person,
  side: 'front' | 'back',
  picture: Uint8Array,
): Promise<void> {
  await waitForScreen(person.at, `document-${side}`);
  await person.at.locator('[data-camera="live"]').waitFor();
  await holdBefore(person.at, picture);
  // The video shows earlier frames for a moment.
  const framesOf = `document.querySelector('video').getVideoPlaybackQuality().totalVideoFrames`;
  const frames = () => person.at.evaluate<number>(framesOf);
  const before = await frames();
  await expect.poll(frames).toBeGreaterThan(before + 5);
  const button = `[data-screen="document-${side}"] .viewfinder ~ .actions .main`;
  const review = person.at.locator(`[data-screen="document-${side}-review"]`);
  const isTaken = async (): Promise<boolean> => {
    await person.at.evaluate(`document.querySelector('${button}')?.click()`);
    return review.isVisible();
  };
  await expect.poll(isTaken).toBe(true);
}
