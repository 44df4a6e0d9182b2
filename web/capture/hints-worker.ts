import { createMeter, createShutter, hintOf, type HintReply, type HintRequest } from './hints.ts';

const measure = createMeter();
const isReady = createShutter();

// One reply for each frame, in order. The page sends the next frame after the reply.
addEventListener('message', ({ data }: MessageEvent<HintRequest>) => {
  const hint = hintOf(measure(data.frame, data.guide));
  postMessage({ hint, isReady: isReady(hint) } satisfies HintReply);
});
