import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { operations } from '../../../client/operations.ts';
import { contracts } from '../../support/http/routes.ts';

const folder = new URL('../../../client/', import.meta.url);
const files = readdirSync(folder)
  .filter((name) => name.endsWith('.ts'))
  .map((name) => readFileSync(new URL(name, folder), 'utf8'));

describe('the client', () => {
  it('has every documented operation, as the contracts declare it', () => {
    const declared = contracts
      .filter(({ hidden }) => !hidden)
      .map(({ id, method, path, idempotent }) => {
        const line = `${method.toUpperCase()} ${path}${idempotent ? ' once' : ''}`;
        return [id, line] as const;
      });
    const way = 'one line each in client/operations.ts; a new table in client/contracts.ts, too';
    expect(operations, way).toEqual(Object.fromEntries(declared));
  });

  it('has no name in both path and query, and none called `body` or `headers`', () => {
    for (const { id, request } of contracts) {
      const names = [request.path, request.query].flatMap((part) => Object.keys(part?.shape ?? {}));
      const all = [...names, 'body', 'headers'];
      expect(all.length, id).toBe(new Set(all).size);
    }
  });

  it('imports only its own files', () => {
    const targets = files.flatMap((text) =>
      Array.from(
        text.matchAll(/^(?:import|export) (?!type\b)[^;]*?from '([^']+)'/gm),
        ([, to]) => to,
      ),
    );
    expect(targets.length).toBeGreaterThan(5);
    expect(targets.filter((target) => !/^\.\/[a-z-]+\.ts$/.test(target ?? ''))).toEqual([]);
    expect(files.filter((text) => /\b(?:import|require)\(/.test(text))).toEqual([]);
  });
});
