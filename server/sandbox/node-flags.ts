/**
 * Command-line flags that turn a Node process into a sandbox for untrusted code, by the version of Node that runs it.
 *
 * The permission model refuses the whole file system (the shim comes by stdin), child processes, worker threads, addons,
 * the inspector and WASI. It does not refuse signals, nor sockets before Node 25: see docs/sandbox.md.
 */
export function sandboxFlags(nodeVersion: string, options: { heapMegabytes: number }): string[] {
  const [major = 0, minor = 0] = nodeVersion.replace(/^v/, '').split('.').map(Number)
  // Stable under its own name since 22.13 and 23.5; earlier versions know only the experimental flag.
  const stable = major >= 24 || (major === 23 && minor >= 5) || (major === 22 && minor >= 13)
  return [
    stable ? '--permission' : '--experimental-permission',
    `--max-old-space-size=${options.heapMegabytes}`,
    '--input-type=module',
    // The bundle is evaluated as a module held in memory, so it needs no file of its own.
    '--experimental-vm-modules',
    '--no-warnings',
  ]
}

/** Names of the layers that these flags give, as runners report them. */
export const NODE_PERMISSIONS_LAYER = 'node-permissions'
