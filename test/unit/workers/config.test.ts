import { expect, it } from 'vitest';
import { witnessesWantedFault } from '../../../activities/transparency/witnesses.ts';
import { encodeNoteKey, signatureTypes } from '../../../domain/transparency/note.ts';
import { threadsOf, workerConfig } from '../../../workers/config.ts';
import { buildIdOf, deploymentOptions } from '../../../workers/deployment.ts';

const place = {
  PROFILE: 'development',
  BASE_URL: 'http://127.0.0.1:8080',
  DATA_DIR: '/data',
  DATABASE_URL: 'postgres://127.0.0.1/trustcheck',
};

it.each([
  ['development', '0', true],
  ['development', '39', false],
  ['development', '40', true],
  ['production', '40', true],
  ['production', '0', false],
])('a worker in %s can cache %s workflows: %s', (PROFILE, WORKFLOWS_CACHED_MAX, isTaken) => {
  const production = { BASE_URL: 'https://trust.example.test' };
  const settings = { ...place, ...(PROFILE === 'production' ? production : {}), PROFILE };
  const { error } = workerConfig.safeParse({ ...settings, WORKFLOWS_CACHED_MAX });
  expect(error?.issues.map(({ path }) => path) ?? []).toEqual(
    isTaken ? [] : [['WORKFLOWS_CACHED_MAX']],
  );
});

it.each([
  ['development', undefined, false],
  ['development', 'on', true],
  ['production', undefined, true],
  ['production', 'on', true],
  ['production', 'off', false],
])('a worker in %s with WORKER_VERSIONING %s is versioned: %s', (PROFILE, given, isVersioned) => {
  const config = workerConfig.parse({ ...place, PROFILE, WORKER_VERSIONING: given });
  const buildId = buildIdOf({ code: 'the workflows' });
  // printf 'the workflows' | sha256sum
  expect(buildId).toBe('57e53763271e06b59b489bcf6da52b9c50fc06ab73b353d002648c29c9cb3850');
  expect(deploymentOptions(config, buildId)).toEqual(
    isVersioned
      ? {
          workerDeploymentOptions: {
            useWorkerVersioning: true,
            version: { deploymentName: 'trustcheck', buildId },
            defaultVersioningBehavior: 'PINNED',
          },
        }
      : {},
  );
});

it('a worker needs at least as many witnesses as a proof requires', () => {
  const publicKey = Buffer.alloc(32, 1);
  const key = encodeNoteKey({ name: 'w.example', publicKey, type: signatureTypes.cosignature });
  const LOG_WITNESSES = `${key} https://w.example`;
  const read = (settings: object) =>
    workerConfig.safeParse({ ...place, ...settings }).error?.issues;
  expect(read({ LOG_WITNESSES_WANTED: '0' })).toBeUndefined();
  expect(read({ LOG_WITNESSES, LOG_WITNESSES_WANTED: '1' })).toBeUndefined();
  const refused = { path: ['LOG_WITNESSES_WANTED'], message: witnessesWantedFault };
  for (const given of [
    { LOG_WITNESSES_WANTED: '1' },
    { LOG_WITNESSES, LOG_WITNESSES_WANTED: '2' },
  ]) {
    expect(read(given)).toEqual([expect.objectContaining(refused)]);
  }
});

it('WORKER_VERSIONING has no other values than on and off', () => {
  const { error } = workerConfig.safeParse({ ...place, WORKER_VERSIONING: 'yes' });
  expect(error?.issues.map(({ path }) => path)).toEqual([['WORKER_VERSIONING']]);
});

it.each([
  [undefined, 1, 1],
  [undefined, 2, 1],
  [undefined, 4, 3],
  [undefined, 5, 4],
  [undefined, 16, 4],
  ['1', 16, 1],
  ['64', 2, 64],
  ['0', 2, null],
  ['65', 2, null],
  ['1.5', 2, null],
  ['many', 2, null],
])(
  'a worker with CRYPTO_THREADS %s on %s cores starts %s threads',
  (CRYPTO_THREADS, cores, threads) => {
    const { data, error } = workerConfig.safeParse({ ...place, CRYPTO_THREADS });
    expect(data ? threadsOf(data, cores) : null).toBe(threads);
    expect(error?.issues[0]?.path ?? []).toEqual(threads ? [] : ['CRYPTO_THREADS']);
  },
);
