import pino from 'pino'

/** Structured JSON on stderr, so that stdout stays free for what a command prints. Level by CAIRN_LOG (default info). */
export const log = pino({ level: process.env.CAIRN_LOG ?? 'info' }, pino.destination({ dest: 2, sync: true }))
