// Gets a program with the Go of a path into a cache, and stays until it has it.
import { getWithGo } from '../../../cli/platform/go.ts';

const [cache = '', path = ''] = process.argv.slice(2);
const say = (line: string): void => void process.stdout.write(`${line}\n`);
const goPackage = 'example.test/tool@v1';
say(`got ${await getWithGo({ name: 'tool', goPackage, minutes: 1, cache, path, say })}`);
