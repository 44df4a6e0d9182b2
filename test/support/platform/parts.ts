/** The parts that can be killed and restarted under a running platform. */
export const parts = ['api', 'worker', 'postgres'] as const;
export type Part = (typeof parts)[number];
