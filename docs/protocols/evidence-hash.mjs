// Computes an `evidence_hash` with nothing of trustcheck: docs/protocols/evidence.md says by which rule.
// node docs/protocols/evidence-hash.mjs evidence.ndjson KINDS [COUNT]: of the last COUNT files of these kinds.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

const [path = '', kinds = '', count = '1'] = process.argv.slice(2);
const sha256 = (text) => createHash('sha256').update(text).digest('hex');

/** RFC 8785: members by name, nothing between them. Written out: objects put numbers first. */
const spelled = (value) => {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(spelled).join(',')}]`;
  const names = Object.keys(value).toSorted();
  return `{${names.map((name) => `${JSON.stringify(name)}:${spelled(value[name])}`).join(',')}}`;
};

function boundPart(line) {
  const { removed: _removed, ...file } = JSON.parse(line);
  for (const { path: place } of file.images) {
    const names = place.split('.');
    const last = names.pop();
    names.reduce((parent, name) => parent[name], file)[last] = null;
  }
  return sha256(spelled(file));
}

const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
const wanted = lines.filter((line) => kinds.split('|').includes(JSON.parse(line).kind));
console.log(sha256(wanted.slice(-Number(count)).map(boundPart).join('\n')));
