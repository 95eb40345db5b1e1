import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { Json } from '@/sdk/types'
import { draftOf, readDraft } from './form-draft'
import { formFieldOf } from './form-field'

// zod writes JSON, as the SDK does when it makes a descriptor.
const schemaOf = (type: z.ZodType) => z.toJSONSchema(type, { io: 'input' }) as Json
const fieldFor = (type: z.ZodType) => formFieldOf(schemaOf(type))
const kinds = (type: z.ZodType) => {
  const field = fieldFor(type)
  return field.kind === 'object' ? Object.fromEntries(field.fields.map((each) => [each.name, each.field.kind])) : {}
}

const everything = z.object({
  repository: z.string().describe('Path of the repository'),
  notes: z.string().max(10_000).optional(),
  depth: z.int().min(1).max(10).default(3),
  ratio: z.number().optional(),
  verbose: z.boolean().default(true),
  format: z.enum(['short', 'long']).default('short'),
  owner: z.object({ name: z.string(), age: z.number().optional() }).optional(),
  paths: z.array(z.string()).optional(),
  extra: z.record(z.string(), z.number()).optional(),
  nickname: z.string().nullable(),
})

describe('formFieldOf', () => {
  it('has a control for each kind of JSON Schema, and raw JSON for the rest', () => {
    expect(kinds(everything)).toEqual({
      repository: 'string',
      notes: 'string',
      depth: 'number',
      ratio: 'number',
      verbose: 'boolean',
      format: 'choice',
      owner: 'object',
      paths: 'array',
      extra: 'raw',
      nickname: 'string',
    })
  })
  it.each([[true], [null], [{}], [{ type: 'object' }], [{ $ref: '#/$defs/x' }], [{ type: ['string', 'number'] }]])(
    'takes raw JSON for the schema %j',
    (schema) => {
      expect(formFieldOf(schema).kind).toBe('raw')
    },
  )
  it('does not show the bound of safe integers', () => {
    expect(fieldFor(z.int())).toMatchObject({ kind: 'number', isInteger: true, min: null, max: null })
  })
  it('stops at a depth, so that a deep schema still gives a form', () => {
    let type: z.ZodType = z.object({ leaf: z.string() })
    for (let level = 0; level < 20; level++) type = z.object({ inner: type })
    expect(JSON.stringify(fieldFor(type))).toContain('"kind":"raw"')
  })
})

describe('readDraft', () => {
  const field = fieldFor(everything)

  it('sends defaults as they stand and leaves out what was left empty', () => {
    const draft = draftOf(field, { repository: '/srv/repo', nickname: 'x' })
    expect(readDraft(field, draft).value).toEqual({
      repository: '/srv/repo',
      nickname: 'x',
      depth: 3,
      verbose: true,
      format: 'short',
    })
  })
  it('gives back the input that a draft was made from', () => {
    const input = {
      repository: '/srv/repo',
      notes: 'two\nlines',
      depth: 7,
      ratio: -0.5,
      verbose: false,
      format: 'long',
      owner: { name: 'Ada', age: 36 },
      paths: ['a', 'b'],
      extra: { x: 1 },
      nickname: null,
    }
    const read = readDraft(field, draftOf(field, input))
    expect(read.problems.size).toBe(0)
    expect(read.value).toEqual(input)
    expect(everything.safeParse(read.value).success).toBe(true)
  })
  it('names each wrong field by its path', () => {
    const draft = draftOf(field, { depth: 3, owner: { age: 1 }, paths: [''] })
    const changed = { ...(draft as object), depth: '2.5', ratio: 'much', extra: '{' }
    const { problems } = readDraft(field, changed)
    expect([...problems.keys()]).toEqual(['repository', 'depth', 'ratio', 'owner.name', 'paths.0', 'extra'])
    expect(problems.get('depth')).toBe('This must be a whole number.')
  })
  it('keeps to the bounds of a number', () => {
    const draft = { ...(draftOf(field, { repository: 'x' }) as object), depth: '11' }
    expect(readDraft(field, draft).problems.get('depth')).toBe('This must be at most 10.')
  })
})
