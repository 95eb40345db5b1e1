import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { draftOf, readDraft } from '@/app/_form/form-draft'
import { formFieldOf } from '@/app/_form/form-field'
import type { Json } from '@/sdk/types'
import { decide, decisionOf } from './decision'

// zod writes JSON, as the SDK does when it makes a schema.
const fieldFor = (type: z.ZodType) => formFieldOf(z.toJSONSchema(type, { io: 'input' }) as Json)
const labels = (type: z.ZodType) => decisionOf(fieldFor(type))?.options.map((option) => option.label)

describe('decisionOf', () => {
  it('makes buttons of a yes or no, and of a few words', () => {
    expect(labels(z.boolean())).toEqual(['Yes', 'No'])
    expect(labels(z.enum(['ship', 'hold-back']))).toEqual(['Ship', 'Hold back'])
    expect(labels(z.object({ approved: z.boolean(), note: z.string().optional() }))).toEqual(['Approve', 'Reject'])
  })

  it('leaves to the form what more than one field decides, or many words', () => {
    expect(decisionOf(fieldFor(z.object({ approved: z.boolean(), note: z.string() })))).toBeNull()
    expect(decisionOf(fieldFor(z.enum(['a', 'b', 'c', 'd', 'e', 'f'])))).toBeNull()
    expect(decisionOf(fieldFor(z.string()))).toBeNull()
  })

  it('gives the answer that was pressed together with what was filled in besides', () => {
    const field = fieldFor(z.object({ approved: z.boolean(), note: z.string().optional() }))
    const decision = decisionOf(field)
    const [approve] = decision?.options ?? []
    if (decision === null || approve === undefined || decision.rest === null) throw new Error('There is no decision.')
    expect(readDraft(field, decide(decision, approve, { note: 'Fine.' })).value).toEqual({
      approved: true,
      note: 'Fine.',
    })
    expect(readDraft(field, decide(decision, approve, draftOf(decision.rest))).value).toEqual({ approved: true })
  })

  it('gives a word as it stands in the schema', () => {
    const field = fieldFor(z.enum(['ship', 'hold-back']))
    const decision = decisionOf(field)
    const hold = decision?.options[1]
    if (!decision || hold === undefined) throw new Error('There is no decision.')
    expect(readDraft(field, decide(decision, hold, '')).value).toBe('hold-back')
  })
})
