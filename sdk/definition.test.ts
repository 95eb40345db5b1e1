import { describe, expectTypeOf, it } from 'vitest'
import * as z from 'zod'
import type { AgentResult, Binding, RoleAgent, RoutingTable, StepOf, WorkflowDefinition } from './definition'
import { createWorkflow, defineRole, defineWorkflow, END, echoAgent, START } from './index'

type Roles = { plan: { tasks: string[] }; code: { files: number } }

const definition = defineWorkflow({
  description: 'd',
  input: z.object({ path: z.string() }),
  roles: {
    plan: defineRole({
      description: '',
      systemPrompt: '',
      schema: z.object({ tasks: z.array(z.string()) }),
      extractRefs: null,
    }),
    code: defineRole({ description: '', systemPrompt: '', schema: z.object({ files: z.number() }), extractRefs: null }),
  },
  table: {
    [START]: [{ condition: 'FALLBACK', role: 'plan' }],
    plan: [{ condition: 'FALLBACK', role: 'code' }],
    code: [{ condition: 'FALLBACK', role: END }],
  },
})

/** These hold while the file compiles: `tsc` is the test. */
describe('the types of a definition', () => {
  it('know the roles, their metas and the input', () => {
    expectTypeOf(definition).toEqualTypeOf<WorkflowDefinition<Roles, { path: string }>>()
    expectTypeOf<Extract<StepOf<Roles>, { role: 'code' }>['meta']>().toEqualTypeOf<{ files: number }>()
  })

  it('refuse a target that is no role, and a row too few', () => {
    type Table = RoutingTable<Roles, unknown>
    expectTypeOf<{ condition: 'FALLBACK'; role: 'code' }>().toExtend<Table['plan'][number]>()
    expectTypeOf<{ condition: 'FALLBACK'; role: 'cod' }>().not.toExtend<Table['plan'][number]>()
    expectTypeOf<{ [START]: []; plan: []; code: [] }>().toExtend<Table>()
    expectTypeOf<{ [START]: []; plan: [] }>().not.toExtend<Table>()
    expectTypeOf<{ plan: []; code: [] }>().not.toExtend<Table>()
  })

  it('refuse an agent whose meta is not that of its role', () => {
    type Code = RoleAgent<Roles, unknown, 'code'>
    expectTypeOf<() => Promise<{ output: string; meta: { files: number } }>>().toExtend<Code>()
    expectTypeOf<() => Promise<{ output: string; meta: { files: string } }>>().not.toExtend<Code>()
    expectTypeOf<() => Promise<number>>().not.toExtend<Code>()
    expectTypeOf(echoAgent).toExtend<Code>()
    expectTypeOf<AgentResult<{ files: number }>>().not.toEqualTypeOf<AgentResult<{ files: string }>>()
  })

  it('refuse a condition that answers with a promise', () => {
    type Check = Exclude<RoutingTable<Roles, unknown>['plan'][number]['condition'], 'FALLBACK'>['check']
    expectTypeOf<() => boolean>().toExtend<Check>()
    expectTypeOf<() => Promise<boolean>>().not.toExtend<Check>()
  })

  it('want an agent for every role', () => {
    type B = Binding<Roles, unknown>
    type Any = () => Promise<string>
    expectTypeOf<{ agent: Any }>().toExtend<B>()
    expectTypeOf<{ overrides: { plan: Any; code: Any } }>().toExtend<B>()
    expectTypeOf<{ overrides: { plan: Any } }>().not.toExtend<B>()
    expectTypeOf<{ agent: Any; overrides: { plan: Any } }>().toExtend<B>()
    expectTypeOf(createWorkflow<Roles, { path: string }>)
      .parameter(1)
      .toEqualTypeOf<Binding<Roles, { path: string }>>()
  })
})
