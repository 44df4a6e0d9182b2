import { writeSync } from 'node:fs';
import { issue, type IssuePlan } from './issuing.ts';

// Issues by a plan, and kills itself with SIGKILL at the step that the plan names; prints that
// step.
const plan = JSON.parse(process.argv[2] ?? '') as IssuePlan;
let count = 0;
await issue(plan, (step) => {
  if (count === plan.dieAt) {
    writeSync(1, step);
    process.kill(process.pid, 'SIGKILL');
  }
  count += 1;
});
