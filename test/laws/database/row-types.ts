import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  isCallExpression,
  isIdentifier,
  isStringLiteral,
  type Node,
} from 'typescript/unstable/ast';
import { API, SignatureKind, TypeFlags, type Checker, type Type } from 'typescript/unstable/sync';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const folders = ['activities', 'api', 'cli', 'db', 'domain', 'simulator', 'workers'];
const makers = new Set(['statement', 'sharing', 'planned', 'inReach', 'prepare']);
const call = new RegExp(`\\b(?:${[...makers].join('|')})[(<]`);

/** The JavaScript type of a column; `any` is JSON, which may have any type. */
export type Kind = 'string' | 'number' | 'boolean' | 'Date' | 'Buffer' | 'array' | 'any';

/** The row type of a statement: its members, and their types other than null. */
export type RowType = ReadonlyMap<string, ReadonlySet<Kind>>;

/**
 * The row types of the prepared statements with a literal name, from the compiler. A statement
 * without a row type returns no rows that the code reads.
 */
export function rowTypes(): Map<string, RowType> {
  const directory = mkdtempSync(join(tmpdir(), 'trustcheck-rows-'));
  const api = new API({ cwd: root });
  try {
    const files = filesWithStatements();
    const config = join(directory, 'tsconfig.json');
    writeFileSync(config, JSON.stringify(projectOf(files)));
    const [project] = api.updateSnapshot({ openProjects: [config] }).getProjects();
    if (!project) throw new Error('the compiler has no project');
    const found = new Map<string, RowType>();
    const visit = (node: Node): void => {
      const name = nameOfStatement(node);
      const row = name === null ? null : rowOf(project.checker, node);
      if (name !== null && row) found.set(name, rowTypeOf(project.checker, row));
      node.forEachChild(visit);
    };
    for (const file of files) project.program.getSourceFile(file)?.forEachChild(visit);
    return found;
  } finally {
    api.close();
    rmSync(directory, { recursive: true });
  }
}

/** Selects files by their text: the compiler takes a minute for the whole project. */
function filesWithStatements(): string[] {
  return folders
    .flatMap((folder) => globSync(`${root}${folder}/**/*.ts`))
    .filter((file) => call.test(readFileSync(file, 'utf8')));
}

const projectOf = (files: readonly string[]) => ({
  extends: `${root}tsconfig.json`,
  compilerOptions: { typeRoots: [`${root}node_modules/@types`] },
  include: [],
  files,
});

function nameOfStatement(node: Node): string | null {
  if (!isCallExpression(node) || !isIdentifier(node.expression)) return null;
  const [name] = node.arguments;
  return makers.has(node.expression.text) && name && isStringLiteral(name) ? name.text : null;
}

/** The `Row` of a statement, which resolves to `Row[]`; null where it has none. */
function rowOf(checker: Checker, node: Node): Type | null {
  const type = checker.getTypeAtLocation(node);
  const [call] = type ? checker.getSignaturesOfType(type, SignatureKind.Call) : [];
  const promise = call ? checker.getReturnTypeOfSignature(call) : undefined;
  const row = promise && elementOf(checker, elementOf(checker, promise));
  if (!row) throw new Error('a row type is unknown');
  return row.flags & (TypeFlags.Unknown | TypeFlags.Never) ? null : row;
}

function elementOf(checker: Checker, type: Type): Type {
  const [element] = type.isTypeReference() ? checker.getTypeArguments(type) : [];
  if (!element) throw new Error('a statement resolves to no list of rows');
  return element;
}

function rowTypeOf(checker: Checker, row: Type): RowType {
  return new Map(
    checker.getPropertiesOfType(row).map((member) => {
      const type = checker.getTypeOfSymbol(member);
      return [member.name, new Set(type ? kindsOf(checker, type) : [])];
    }),
  );
}

function kindsOf(checker: Checker, type: Type): Kind[] {
  if (type.isUnionType()) return type.getTypes().flatMap((each) => kindsOf(checker, each));
  if (type.flags & (TypeFlags.Null | TypeFlags.Undefined)) return [];
  if (type.flags & TypeFlags.StringLike) return ['string'];
  if (type.flags & TypeFlags.NumberLike) return ['number'];
  if (type.flags & TypeFlags.BooleanLike) return ['boolean'];
  if (checker.isArrayLikeType(type)) return ['array'];
  const name = type.getSymbol()?.name;
  return [name === 'Date' || name === 'Buffer' ? name : 'any'];
}
