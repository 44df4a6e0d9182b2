/**
 * Records histories from a real server into `test/histories/<type>/<scenario>.json`: run it by hand
 * (`npm run histories`) when a workflow gains a path, and commit what is new. Scenarios that were
 * recorded before are not played again, and recorded files are never changed.
 */
const [unknown] = process.argv.slice(2);
if (unknown === undefined) {
  const { recordHistories } = await import('./record-missing.ts');
  await recordHistories();
} else {
  process.stderr.write(`${unknown}: npm run histories takes no words\n`);
  process.exitCode = 2;
}
