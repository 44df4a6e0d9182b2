import { writeSync } from 'node:fs';
import { issue, type IssuePlan } from './issuing.ts';

// Issues by a plan, and ends itself by `kill -9` at the step that this names; prints that one.
const plan = JSON.parse(process.argv[2] ?? '') as IssuePlan;
let count = 0;
await issue(plan, (step) => {
  if (count === plan.dieAt) {
    writeSync(1, step);
    process.kill(process.pid, 'SIGKILL');
  }
  count += 1;
});
