/**
 * The one bundle of a chaos run: does what `thread.start.input` says, a step each. Before a step is yielded, a granted command
 * tells the witness of it; the witness answers `ok`, or `no` to what is to fail. `--norc`: with a socket as its input bash takes
 * itself for a remote login, and reads the start-up file of whoever runs this.
 */
export const BUNDLE = `
const role = (description) => ({ description, schema: { type: 'object' } })
export const descriptor = {
  description: 'Does what its input says, a step each.',
  roles: {
    work: role('Takes some time.'),
    ask: role('Waits for an input.'),
    until: role('Waits for a time.'),
    children: role('Starts threads and waits for them.'),
    flaky: role('Fails when it is tried for the first time.'),
  },
  graph: { edges: [] },
  permissions: { exec: ['bash'] },
}
const TELL = 'exec 3<>"/dev/tcp/127.0.0.1/$1" && echo "$2" >&3 && read -r -t 20 answer <&3 && echo "$answer"'
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

export async function* run(thread, runtime) {
  const { ops, end, port } = thread.start.input
  const tell = async (what, key, n) => {
    const line = [what, key, thread.threadId, n].join(' ')
    const { exitCode, stdout } = await runtime.exec('bash', ['--norc', '-c', TELL, 'bash', String(port), line])
    if (exitCode !== 0) throw new Error('The witness was not reached.')
    return stdout.trim()
  }
  const children = async ({ mode, workflow, scripts }, n) => {
    const started = []
    for (const [at, script] of scripts.entries()) {
      started.push(await runtime.startThread({ workflow, prompt: 'child ' + at + ' of step ' + n, input: { ...script, port } }))
    }
    return runtime.wait({ threads: started.map((child) => child.threadId), mode })
  }
  for (let n = thread.steps.length; n < ops.length; n++) {
    const op = ops[n]
    const key = runtime.attemptKey(op.do)
    let got = null
    let childThread = null
    if (op.do === 'work') await pause(op.ms)
    if (op.do === 'ask') {
      const timeout = op.seconds === undefined ? {} : { timeoutSeconds: op.seconds }
      got = await runtime.wait({ input: { type: 'string' }, prompt: 'What is ' + op.name + '?', name: op.name, ...timeout })
    }
    if (op.do === 'until') await runtime.wait({ until: thread.start.timestamp + op.ms })
    if (op.do === 'children') {
      const { outcomes, group } = await children(op, n)
      got = outcomes
      childThread = group
    }
    if (op.do === 'flaky' && (await tell('flaky', key, n)) === 'no') throw new Error('It fails the first time.')
    await tell('step', key, n)
    const contentHash = await runtime.cas.put('step ' + n + ' of ' + thread.threadId)
    yield { role: op.do, contentHash, meta: { n, key, got }, refs: [], childThread }
  }
  if (end === 'throws') throw new Error('Its script says so.')
  return { returnCode: end, summary: 'as its script says' }
}
`
