/** What can be killed and started again under a running platform. */
export const parts = ['api', 'worker', 'postgres'] as const;
export type Part = (typeof parts)[number];
