import { isBuiltin } from 'node:module'
import { type Module, SourceTextModule, SyntheticModule } from 'node:vm'
import * as sdk from '@/sdk/index'
import type { WorkflowFn } from '@/sdk/types'

export type LoadedBundle = { run: WorkflowFn; descriptor: unknown }

/** The SDK's own specifier: a bundle may leave it out of its file. */
const SDK_SPECIFIER = 'cairn/sdk'

/** Built-ins that act outside the process without asking the permission model, or load code that was not checked. */
const REFUSED = new Set(['module', 'trace_events'])

/**
 * Evaluates a bundle from memory. It can import Node's built-in modules (under the permission model of the process) and
 * the SDK, and nothing else; `import()` has no loader and fails.
 */
export async function loadBundle(source: string, name: string): Promise<LoadedBundle> {
  const module = new SourceTextModule(source, { identifier: name })
  await module.link((specifier: string) => importable(specifier))
  await module.evaluate()
  // A module namespace has these as getters of whatever the author exported.
  const exports = module.namespace as { run?: unknown; descriptor?: unknown }
  if (typeof exports.run !== 'function') throw new TypeError('the bundle does not export a function named run')
  return { run: exports.run as WorkflowFn, descriptor: exports.descriptor }
}

async function importable(specifier: string): Promise<Module> {
  if (specifier === SDK_SPECIFIER) return synthetic(sdk)
  if (isBuiltin(specifier)) {
    if (REFUSED.has(specifier.replace(/^node:/, ''))) throw new Error(`a bundle cannot import ${specifier}`)
    return synthetic(await import(specifier))
  }
  throw new Error(`a bundle cannot import ${specifier}: only Node's built-in modules and ${SDK_SPECIFIER}`)
}

function synthetic(namespace: object): Module {
  const names = Object.keys(namespace)
  return new SyntheticModule(names, function (this: SyntheticModule) {
    for (const name of names) this.setExport(name, Reflect.get(namespace, name))
  })
}
