import { gc } from './cas/gc'
import { gcRuns } from './cas/gc-runs'
import { get as casGet } from './cas/get'
import { list as casList } from './cas/list'
import { pin } from './cas/pin'
import { pins } from './cas/pins'
import { put } from './cas/put'
import { refs } from './cas/refs'
import { remove as casRemove } from './cas/remove'
import { unpin } from './cas/unpin'
import { verify as casVerify } from './cas/verify'
import { drain } from './runner/drain'
import { lift } from './runner/lift'
import { list as runnerList } from './runner/list'
import { quarantines } from './runner/quarantines'
import { info } from './system/info'
import { invariants } from './system/invariants'
import { rebuild } from './system/rebuild'
import { callStack } from './thread/call-stack'
import { children } from './thread/children'
import { compare } from './thread/compare'
import { control } from './thread/control'
import { fork } from './thread/fork'
import { forks } from './thread/forks'
import { get as threadGet } from './thread/get'
import { input } from './thread/input'
import { inputs } from './thread/inputs'
import { list as threadList } from './thread/list'
import { logs } from './thread/logs'
import { records } from './thread/records'
import { remove as threadRemove } from './thread/remove'
import { retry } from './thread/retry'
import { start } from './thread/start'
import { verify as threadVerify } from './thread/verify'
import { waits } from './thread/waits'
import { watch } from './thread/watch'
import { watchList } from './thread/watch-list'
import { createCallerFactory, router } from './trpc'
import { add } from './workflow/add'
import { descriptor } from './workflow/descriptor'
import { get as workflowGet } from './workflow/get'
import { grant } from './workflow/grant'
import { history } from './workflow/history'
import { limits } from './workflow/limits'
import { list as workflowList } from './workflow/list'
import { rollback } from './workflow/rollback'
import { source } from './workflow/source'
import { validate } from './workflow/validate'

/** Names only. */
export const appRouter = router({
  thread: {
    start,
    get: threadGet,
    list: threadList,
    records,
    watch,
    watchList,
    verify: threadVerify,
    control,
    retry,
    remove: threadRemove,
    input,
    waits,
    inputs,
    fork,
    compare,
    callStack,
    children,
    forks,
    logs,
  },
  workflow: {
    add,
    list: workflowList,
    get: workflowGet,
    history,
    rollback,
    grant,
    limits,
    source,
    descriptor,
    validate,
  },
  cas: { put, get: casGet, list: casList, refs, verify: casVerify, pin, unpin, pins, remove: casRemove, gc, gcRuns },
  runner: { list: runnerList, drain, quarantines, lift },
  system: { info, invariants, rebuild },
})
export type AppRouter = typeof appRouter

/** Calls procedures in this process: pages that render on the server, and tests. */
export const createCaller = createCallerFactory(appRouter)
