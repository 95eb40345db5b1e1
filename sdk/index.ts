/** Everything that a workflow imports: `import { createWorkflow } from 'cairn/sdk'`. */
export { buildDescriptor } from './build-descriptor'
export { createWorkflow } from './create-workflow'
export {
  type Agent,
  type AgentContext,
  type AgentResult,
  type Binding,
  type Condition,
  defineRole,
  defineWorkflow,
  type Metas,
  type RoleAgent,
  type RoleDefinition,
  type RoutingContext,
  type RoutingTable,
  type StepOf,
  type Transition,
  type WorkflowDefinition,
} from './definition'
export { echoAgent } from './echo-agent'
export { DefinitionError, ExtractionError, InputError, type MetaProblem, RoutingError } from './errors'
export {
  END,
  type ExecOptions,
  type ExecResult,
  type GraphEdge,
  type Json,
  type JsonObject,
  type Permissions,
  type Recorded,
  type RoleOutput,
  type RoleStep,
  type Runtime,
  START,
  type ThreadContext,
  type WorkflowCompletion,
  type WorkflowDescriptor,
  type WorkflowFn,
} from './types'
