export { emailAttach, emailLogin } from './email-login/workflow.ts';
export { issueAffidavit } from './issue-affidavit/workflow.ts';
export { linkInvitation } from './link-invitation/workflow.ts';
export { prescreenRollup } from './prescreen-rollup/workflow.ts';
export { meeting } from './meeting/workflow.ts';
export { meetingReport } from './meeting-report/workflow.ts';
export { trustCheck } from './trust-check/workflow.ts';
export { webhookDelivery } from './webhook-delivery/workflow.ts';
