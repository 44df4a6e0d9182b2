import { createHash, createHmac } from 'node:crypto';
import type { Queryable } from '../../../db/client.ts';
import { keepFaceMarks, listFaceMarks, type FaceMarkRow } from '../../../db/queries/face-marks.ts';
import type { Repeats } from '../../../domain/proofs/face/liveness.ts';
import type { ImageReading } from '../../../domain/proofs/face/reading.ts';
import type { ProofResult } from '../judge.ts';

/**
 * Stored digests of a frame, keyed by each version of the secret. A frame is recognized after a
 * rotation, and by a process without the newest version.
 */
interface FrameMarks {
  readonly files: readonly Buffer[];
  readonly looks: readonly Buffer[];
}

interface PresentedFace {
  readonly secrets: readonly Uint8Array[];
  readonly frames: readonly { readonly image: Uint8Array }[];
  readonly seen: readonly ImageReading[];
  readonly sessionId: string;
  readonly now: Date;
}

const markBytes = 16;
/** How long a film is recognized. */
const retentionMs = 90 * 24 * 60 * 60_000;

/**
 * Finds frames that were already submitted, to any session of any account. `keeps` stores the new
 * marks with the judgement. It throws if a concurrent submission stored one of them meanwhile: the
 * later submission is then judged again.
 */
export async function findRepeats(
  db: Queryable,
  shown: PresentedFace,
): Promise<{ readonly repeats: Repeats } & Required<Pick<ProofResult, 'keeps'>>> {
  const { sessionId, now } = shown;
  const marks = marksOf(shown);
  const given = marks.flatMap(({ files, looks }) => [...files, ...looks]);
  const all = [...new Map(given.map((mark) => [mark.toString('hex'), mark])).values()];
  const kept = await listFaceMarks(db, all, now);
  const until = new Date(now.getTime() + retentionMs);
  return {
    repeats: repeatsOf(marks, kept, sessionId),
    keeps: async (tx) => {
      const added = await keepFaceMarks(tx, all, { sessionId, now, until });
      if (added + kept.length < all.length) throw new Error('frames came twice at once');
    },
  };
}

/** Only frames with a face have marks: others do not show who was filmed. */
function marksOf({ secrets, frames, seen }: PresentedFace): FrameMarks[] {
  const marks = (text: string): Buffer[] =>
    secrets.map((secret) =>
      createHmac('sha256', secret).update(text).digest().subarray(0, markBytes),
    );
  return frames.flatMap(({ image }, index) => {
    const { face = null, print = null } = seen[index] ?? {};
    if (!face || !print) return [];
    const sha256 = createHash('sha256').update(image).digest('hex');
    return [{ files: marks(`file|${sha256}`), looks: marks(`look|${print}`) }];
  });
}

function repeatsOf(
  frames: readonly FrameMarks[],
  kept: readonly FaceMarkRow[],
  sessionId: string,
): Repeats {
  const owners = new Map(kept.map((row) => [row.mark.toString('hex'), row.link_session_id]));
  const ownerOf = (marks: readonly Buffer[]): string | undefined =>
    marks.map((mark) => owners.get(mark.toString('hex'))).find((owner) => owner !== undefined);
  const near = new Map<string, number>();
  for (const { looks } of frames) {
    const owner = ownerOf(looks);
    // In one session, repeated attempts look alike.
    if (owner && owner !== sessionId) near.set(owner, (near.get(owner) ?? 0) + 1);
  }
  const same = frames.filter(({ files }) => ownerOf(files) !== undefined).length;
  return { same, near: Math.max(0, ...near.values()) };
}
