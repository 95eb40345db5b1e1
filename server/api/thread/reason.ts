import { z } from 'zod'

/** Why somebody gives a command: a sentence for the thread's history. */
export const reasonSchema = z.string().trim().min(1).max(1000)
