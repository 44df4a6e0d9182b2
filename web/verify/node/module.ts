// The subset of node:module that the verifier uses. It resolves the paths of the embedded files.
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
