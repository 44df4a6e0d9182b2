// Preloaded into a command (NODE_OPTIONS=--import): kills it with SIGKILL at the first call on a
// path that ends with KILLED_PATH of the function KILLED_AT of node:fs/promises.
import fs from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';

const { KILLED_AT = '', KILLED_PATH = '' } = process.env;
const original = fs[KILLED_AT];
fs[KILLED_AT] = (...given) => {
  const paths = given.filter((each) => typeof each === 'string');
  if (paths.some((path) => path.endsWith(KILLED_PATH))) process.kill(process.pid, 'SIGKILL');
  return original(...given);
};
syncBuiltinESMExports();
