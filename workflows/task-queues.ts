/** Task queues by the resource they need; the workflows themselves run on `core`. */
export const taskQueues = { core: 'core', crypto: 'crypto', mail: 'mail' } as const;
