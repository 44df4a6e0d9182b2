import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  CreateBucketCommand,
  ListObjectVersionsCommand,
  PutBucketVersioningCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { expect, it } from 'vitest';
import { createS3Store } from '../../../activities/storage/s3.ts';
import { startVersitygw } from '../../support/stand-ins/versitygw.ts';

const [bucket, region] = ['objects', 'us-east-1'];
const contentType = 'application/octet-stream';

it('a bucket with versions keeps no version of an erased object', async ({ skip }) => {
  const directory = await mkdtemp(join(tmpdir(), 'trustcheck-versions-'));
  const places = [join(directory, 's3'), join(directory, 'versions')] as const;
  const say = (line: string): void => void process.stderr.write(`${line}\n`);
  const server = await startVersitygw(places[0], say, places[1]).catch((error: unknown) =>
    skip(String(error)),
  );
  try {
    const client = new S3Client({
      endpoint: server.endpoint,
      region,
      forcePathStyle: true,
      credentials: server,
    });
    await client.send(new CreateBucketCommand({ Bucket: bucket }));
    await client.send(
      new PutBucketVersioningCommand({
        Bucket: bucket,
        VersioningConfiguration: { Status: 'Enabled' },
      }),
    );
    const store = createS3Store({ ...server, bucket, region });
    for (const text of ['first', 'second', 'third']) {
      for (const key of ['evidence/a/x', 'evidence/ab/x']) {
        await store.put({ key, body: Buffer.from(text), contentType });
      }
    }
    await store.remove('evidence/a/x');
    const kept = async (): Promise<(string | undefined)[]> => {
      const listed = await client.send(new ListObjectVersionsCommand({ Bucket: bucket }));
      return [...(listed.Versions ?? []), ...(listed.DeleteMarkers ?? [])].map(({ Key }) => Key);
    };
    // A removed object is still there, behind a delete marker.
    expect((await kept()).filter((key) => key === 'evidence/a/x')).toHaveLength(4);
    await store.erase('evidence/a');
    expect(await kept()).toEqual(Array(3).fill('evidence/ab/x'));
  } finally {
    await server.stop();
    await rm(directory, { recursive: true, force: true });
  }
});
