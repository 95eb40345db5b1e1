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
export {
  ChildFailed,
  DefinitionError,
  ExtractionError,
  InputError,
  type MetaProblem,
  RoutingError,
  WaitTimedOut,
} from './errors'
export { type HumanAgentOptions, humanAgent } from './human-agent'
export {
  type ChildThread,
  END,
  type ExecOptions,
  type ExecResult,
  type GraphEdge,
  type InputAnswer,
  type Json,
  type JsonObject,
  type Permissions,
  type Recorded,
  type RoleOutput,
  type RoleStep,
  type Runtime,
  START,
  type StartThreadOptions,
  type ThreadContext,
  type ThreadOutcome,
  type ThreadsAnswer,
  type WaitForInput,
  type WaitForThreads,
  type WaitForTime,
  type WorkflowCompletion,
  type WorkflowDescriptor,
  type WorkflowFn,
} from './types'
export { type ChildMeta, type ChildOptions, workflowAsAgent, workflowsAsAgent } from './workflow-as-agent'
