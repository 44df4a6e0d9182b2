/** Task queues by the resource that they need. The workflows run on `core`. */
export const taskQueues = { core: 'core', crypto: 'crypto', mail: 'mail' } as const;
