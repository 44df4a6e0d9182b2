import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { apiConfig } from '../../../api/config.ts';
import { workerConfig } from '../../../workers/config.ts';

const read = (path: string): string =>
  readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');
const shape: Readonly<Record<string, z.ZodType>> = { ...apiConfig.shape, ...workerConfig.shape };
/** Without these production does not start, whatever the schema says. */
const production = [
  'KEYS_PASSPHRASE',
  'MASTER_KEY',
  'CODEC_KEY',
  'OPERATOR_NAME',
  'OPERATOR_ADDRESS',
  'OPERATOR_CONTACT',
];

/** The variables of the file by name: `set` to be filled in, else commented with a default. */
const told = new Map(
  [...read('.env.example').matchAll(/^(# )?([A-Z][A-Z0-9_]*)=(.*)$/gm)].map(
    ([, comment, name = '', value]) => [name, { isRequired: !comment, value }],
  ),
);

function expectedOf(name: string): { isRequired: boolean; value: string } {
  const parsed = shape[name]?.safeParse(undefined);
  const isRequired = !parsed?.success || production.includes(name);
  const usual: unknown = parsed?.success ? parsed.data : undefined;
  const isShown = !isRequired && (typeof usual === 'string' || typeof usual === 'number');
  return { isRequired, value: isShown ? String(usual) : '' };
}

describe('.env.example', () => {
  it('has every setting of API and workers, with its default or to be filled in', () => {
    const names = Object.keys(shape);
    const found = names.map((name) => [name, told.get(name)]);
    expect(found).toEqual(names.map((name) => [name, expectedOf(name)]));
  });

  it('has every variable that the compose file asks for, and nothing else', () => {
    const compose = read('docker-compose.yml');
    const asked = [...compose.matchAll(/\$\{([A-Z][A-Z0-9_]*)/g)].map(([, name = '']) => name);
    const known = new Set([...Object.keys(shape), ...asked]);
    expect([...told.keys()].toSorted()).toEqual([...known].toSorted());
    const needed = [...compose.matchAll(/\$\{([A-Z][A-Z0-9_]*):\?/g)].map(([, name = '']) => name);
    for (const name of needed.filter((each) => !(each in shape))) {
      expect([name, told.get(name)?.isRequired]).toEqual([name, true]);
    }
  });
});
