import { describe, expect, it } from 'vitest';
import { httpRaces } from '../../campaigns/races/http/all.ts';
import { allStatements, isContested, statementsIn } from '../../campaigns/races/statements.ts';
import { storeRaces } from '../../campaigns/races/store/all.ts';
import { unraced } from '../../campaigns/races/unraced.ts';

const races = [...httpRaces, ...storeRaces];
const statements = await allStatements();
const contested = new Set(statements.filter(isContested).map(({ name }) => name));
const raced = new Set(races.flatMap((race) => race.statements));

describe('contested statements', () => {
  it('have a race, or a reason why they need none', () => {
    expect(contested.size).toBeGreaterThan(80);
    const forgotten = [...contested].filter((name) => !raced.has(name) && !(name in unraced));
    expect(forgotten).toEqual([]);
  });

  it('exist, and every race has its own name', () => {
    const known = new Set(statements.map(({ name }) => name));
    expect([...raced].filter((name) => !known.has(name))).toEqual([]);
    const idle = Object.keys(unraced).filter((name) => !contested.has(name) || raced.has(name));
    expect(idle).toEqual([]);
    const names = races.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    expect(names.length).toBeGreaterThanOrEqual(20);
  });

  it.each([
    ["'DELETE FROM a WHERE b = $1 AND c > $2 RETURNING d'", true],
    ['`UPDATE a SET b = 1 WHERE c = $1 AND b IS NULL`', true],
    ['`UPDATE a t SET b = 1 WHERE c = $1 AND b < $2 RETURNING *`', true],
    ['`INSERT INTO a VALUES ($1)\n   ON CONFLICT DO NOTHING`', true],
    ["'SELECT * FROM a WHERE b = $1 FOR NO KEY UPDATE'", true],
    ['madeOf(a)', true],
    ["'UPDATE a SET b = $2 WHERE c = $1'", false],
    ['"SELECT \'x\' FROM a WHERE b = $1 AND c"', false],
    [
      '`WITH swept AS (DELETE FROM a WHERE b IN (SELECT b FROM a LIMIT 2 FOR UPDATE SKIP LOCKED)\n' +
        '   ) INSERT INTO a VALUES ($1)`',
      false,
    ],
  ])('are recognized by their text: %s', (text, expected) => {
    const [found] = statementsIn(`const a = statement<{ b: string }>(\n  'a.b',\n  ${text},\n);`);
    expect(found && [found.name, isContested(found)]).toEqual(['a.b', expected]);
    expect(statementsIn(`sharing<A>(\n  'a.b',\n  ${text},\n  'read',\n);`)).toEqual([found]);
  });
});
