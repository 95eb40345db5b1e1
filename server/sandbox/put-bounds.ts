/** Contents in one message of a worker, at most. By itself, so that the worker's program need not carry the schemas. */
export const MAX_PUTS = 100
