import { availableParallelism } from 'node:os';
import { expect, it } from 'vitest';
import { threadsOf, workerConfig } from '../../workers/config.ts';

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
])('a worker in %s keeps %s workflows: %s', (PROFILE, WORKFLOWS_CACHED_MAX, isTaken) => {
  const production = { BASE_URL: 'https://trust.example.test' };
  const settings = { ...place, ...(PROFILE === 'production' ? production : {}), PROFILE };
  const { error } = workerConfig.safeParse({ ...settings, WORKFLOWS_CACHED_MAX });
  expect(error?.issues.map(({ path }) => path) ?? []).toEqual(
    isTaken ? [] : [['WORKFLOWS_CACHED_MAX']],
  );
});

it.each([
  [undefined, Math.max(1, availableParallelism() - 1)],
  ['1', 1],
  ['64', 64],
  ['0', null],
  ['65', null],
  ['1.5', null],
  ['many', null],
])('a worker told %s begins %s threads', (CRYPTO_THREADS, threads) => {
  const { data, error } = workerConfig.safeParse({ ...place, CRYPTO_THREADS });
  expect(data ? threadsOf(data) : null).toBe(threads);
  expect(error?.issues[0]?.path ?? []).toEqual(threads ? [] : ['CRYPTO_THREADS']);
});
