import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build, type Plugin } from 'esbuild';

const root = fileURLToPath(new URL('../../..', import.meta.url));
/** A declaration up to its end: on the same line, or on the next line with the same indentation. */
const declaration =
  /^( *)((?:export )?const \w+ = |\w+: )((?:prepare|statement|sharing)(?:<[^(\n]*>)?\((?:.*\)(?=[;,]$)|[^]*?^\1\}?\)))/gm;

/** Lets the bundler drop each prepared statement that the entry does not reach. */
const statementsArePure: Plugin = {
  name: 'statements-are-pure',
  setup: ({ onLoad }) => {
    onLoad({ filter: /\.ts$/ }, async ({ path }) => ({
      contents: (await readFile(path, 'utf8')).replaceAll(
        declaration,
        '$1$2/* @__PURE__ */ (() => $3)()',
      ),
      loader: 'ts',
    }));
  },
};

/**
 * The names of the prepared statements that a program reaches from its entry. Leaves out composed
 * names: those of lists and of logs.
 */
export async function reachedStatements(entry: string): Promise<string[]> {
  const { outputFiles } = await build({
    entryPoints: [`${root}${entry}`],
    bundle: true,
    treeShaking: true,
    write: false,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    logLevel: 'error',
    plugins: [statementsArePure],
  });
  const text = outputFiles[0]?.text ?? '';
  const names = text.matchAll(/\b(?:prepare|statement|sharing)\d*\(\s*(["'`])([^"'`]+)\1/g);
  return [...names].map(([, , name = '']) => name).filter((name) => !name.includes('${'));
}
