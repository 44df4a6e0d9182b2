// What the verifier uses of node:module: where the files are that were put into the page.
import { lack } from './buffer.ts';
import { placeOf } from './embedded.ts';

export function createRequire(from: string): { readonly resolve: (name: string) => string } {
  return {
    resolve(name) {
      const path = placeOf(name, from);
      if (path === undefined) throw lack(`file ${name}`);
      return path;
    },
  };
}

export const findPackageJSON = (name: string, from: string): string | undefined =>
  placeOf(`${name}/package.json`, from);
