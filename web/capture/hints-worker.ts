import type { Frame } from './grey.ts';
import type { Rectangle } from './guide.ts';
import { createMeter, createShutter, hintOf, type Hint } from './hints.ts';

/** `frame` may be an `ImageData`, or hold an array that is transferred with the message. */
export interface HintRequest {
  readonly frame: Frame;
  readonly guide: Rectangle;
}

export interface HintReply {
  readonly hint: Hint | null;
  /** Whether the photograph is to be taken now: no hint for eight frames in a row. */
  readonly isReady: boolean;
}

const measure = createMeter();
const isReady = createShutter();

// One reply for each frame, in order. The page sends the next frame after the reply.
addEventListener('message', ({ data }: MessageEvent<HintRequest>) => {
  const hint = hintOf(measure(data.frame, data.guide));
  postMessage({ hint, isReady: isReady(hint) } satisfies HintReply);
});
