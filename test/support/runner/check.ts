// Runs every check even if an earlier one fails. Exits with 0 if all pass, else with 1 and the
// names of the failed ones.
import { spawnSync } from 'node:child_process';

const checks = ['types', 'lint', 'format', 'unused'];
const failed = checks.filter((name) => {
  const { status } = spawnSync('npm', ['run', '--silent', `check:${name}`], { stdio: 'inherit' });
  return status !== 0;
});
if (failed.length > 0) {
  const way = failed.includes('format') ? '; npm run format puts the format right' : '';
  process.stderr.write(`failed: ${failed.join(', ')}${way}\n`);
  process.exitCode = 1;
}
