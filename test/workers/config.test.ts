import { expect, it } from 'vitest';
import { workerConfig } from '../../workers/config.ts';

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
