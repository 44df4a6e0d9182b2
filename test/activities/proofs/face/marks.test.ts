import { expect, test } from 'vitest';
import { findRepeats } from '../../../../activities/proofs/face/marks.ts';
import { transaction } from '../../../../db/client.ts';
import type { ImageReading } from '../../../../domain/proofs/face/reading.ts';
import { seen } from '../../../support/fixtures/faces/seen.ts';
import { collecting, newLink } from '../../../support/http/client.ts';
import { openTestDb } from '../../../support/platform/harness.ts';
import { ownPlatform } from '../../../support/platform/own-platform.ts';

const db = openTestDb(ownPlatform().databaseUrl);
const secrets = [Buffer.alloc(32, 7)];
const now = new Date('2026-11-22T12:00:00Z');
const later = (days: number) => new Date(now.getTime() + days * 24 * 60 * 60_000);
const session = async () => (await collecting(await newLink({ required_proofs: ['document'] }))).id;

/** Makes frames from their file contents and their looks. */
const shown = (sessionId: string, frames: readonly (readonly [string, string])[]) => ({
  secrets,
  sessionId,
  now,
  frames: frames.map(([file]) => ({ image: new Uint8Array(Buffer.from(file)) })),
  seen: frames.map(([, print]): ImageReading => seen({ image: { print } })),
});
const find = (...given: Parameters<typeof shown>) => findRepeats(db, shown(...given));

async function keep(...given: Parameters<typeof shown>) {
  const { repeats, keeps } = await find(...given);
  await transaction(db, keeps);
  return repeats;
}

test('frames of another session are recognized by their files and by their faces', async () => {
  const [own, other] = await Promise.all([session(), session()]);
  const film = ['a', 'b', 'c', 'd'].map((each) => [`${own} ${each}`, `${own}${each}`] as const);
  const encodedAnew = film.map(([file, look]) => [`${file} again`, look] as const);
  expect(await keep(own, film)).toEqual({ same: 0, near: 0 });
  expect((await find(other, film)).repeats).toEqual({ same: 4, near: 4 });
  expect((await find(other, encodedAnew.slice(1))).repeats).toEqual({ same: 0, near: 3 });
  // A repeat in one session looks the same, but may not send the same files.
  expect((await find(own, encodedAnew)).repeats).toEqual({ same: 0, near: 0 });
  expect((await find(own, film.slice(3))).repeats).toEqual({ same: 1, near: 0 });
  // Another key finds nothing, marks expire, and frames without a face are not stored.
  const given = shown(other, film);
  const none = { same: 0, near: 0 };
  expect((await findRepeats(db, { ...given, secrets: [Buffer.alloc(32)] })).repeats).toEqual(none);
  expect((await findRepeats(db, { ...given, now: later(89) })).repeats.same).toBe(4);
  const { repeats, keeps } = await findRepeats(db, { ...given, now: later(91) });
  expect(repeats).toEqual(none);
  await transaction(db, keeps);
  const faceless = given.seen.map((image) => ({ ...image, face: null }));
  expect((await findRepeats(db, { ...given, seen: faceless })).repeats).toEqual(none);
});

test('the later of two concurrent answers with the same film is judged again', async () => {
  const [own, other] = await Promise.all([session(), session()]);
  const film = ['a', 'b'].map((each) => [`${own} ${each}`, `${own}${each}`] as const);
  const both = await Promise.all([find(own, film), find(other, film)]);
  expect(both.map(({ repeats }) => repeats.same)).toEqual([0, 0]);
  const kept = await Promise.allSettled(both.map(({ keeps }) => transaction(db, keeps)));
  expect(kept.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
  // One answer may contain a picture twice; its own judgment handles that.
  const twice = [...film, ...film].map(([file, look]) => [`${file}2`, `${look}2`] as const);
  expect(await keep(own, twice)).toEqual({ same: 0, near: 0 });
});

test('a film is recognized after a rotation of the secret', async () => {
  const [own, other] = await Promise.all([session(), session()]);
  const film = ['a', 'b', 'c', 'd'].map((each) => [`${own} ${each}`, `${own}${each}`] as const);
  await keep(own, film);
  const given = shown(other, film);
  const rotated = { ...given, secrets: [Buffer.alloc(32, 2), ...secrets] };
  const { repeats, keeps } = await findRepeats(db, rotated);
  expect(repeats).toEqual({ same: 4, near: 4 });
  await transaction(db, keeps);
  // Processes one step apart recognize it too, because it was stored under both versions.
  const after = await findRepeats(db, { ...given, secrets: [Buffer.alloc(32, 2)] });
  expect(after.repeats.same).toBe(4);
});
