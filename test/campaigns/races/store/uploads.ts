import { transaction } from '../../../../db/client.ts';
import { beginUpload, endUpload, takeCutUploads } from '../../../../db/queries/evidence-uploads.ts';
import type { Race } from '../../../support/races/race.ts';
import { winners } from './once.ts';

const ended = winners(
  {
    name: 'upload-ended',
    rule: 'an upload is kept or swept, by one of those who would',
    statements: ['evidence_uploads.end', 'evidence_uploads.take_cut'],
  },
  async (on) => {
    const uploadId = on.ids.make('up');
    const upload = { objectKey: `evidence/${uploadId}`, evidenceId: uploadId, uploadId };
    const now = new Date();
    const { objectKey } = upload;
    await beginUpload(on.db, upload, new Date(now.getTime() - 1000));
    const take = async (): Promise<boolean> => {
      const cut = await takeCutUploads(on.db, { now, before: now, lengthMax: 1000 });
      return cut.some(({ object_key }) => object_key === objectKey);
    };
    const ways = [() => transaction(on.db, (tx) => endUpload(tx, objectKey)), take];
    return {
      act: async (place) => (await ways[place % ways.length]?.()) ?? false,
      left: [
        'SELECT count(*)::int AS kept FROM evidence_uploads WHERE object_key = $1 AND swept_at IS NULL',
        [objectKey],
        [{ kept: 0 }],
      ],
    };
  },
);

export const uploadRaces: readonly Race[] = [ended];
