import { AppError } from '@/server/kernel/errors'
import { WorkerProcess } from './worker-process'

/**
 * Loads a bundle in a sandboxed process of its own, only to read its `descriptor` export, and ends the process. The value
 * is JSON but otherwise unchecked. Throws BUNDLE_REJECTED when the bundle throws, exits, takes too much memory or does not
 * finish loading within `deadlineMs`.
 */
export async function readDescriptor(
  source: string,
  { deadlineMs = 10_000, memoryMegabytes = 256 }: { deadlineMs?: number; memoryMegabytes?: number } = {},
): Promise<unknown> {
  const worker = await WorkerProcess.start({ memoryMegabytes })
  const timer = setTimeout(() => worker.kill(`it did not finish loading within ${deadlineMs} ms`), deadlineMs)
  try {
    return await new Promise<unknown>((resolve, reject) => {
      worker.on('message', (message) => {
        if (message.type === 'ready') worker.send({ type: 'describe', source })
        else if (message.type === 'descriptor') resolve(message.value)
        else if (message.type === 'load-failed')
          reject(rejected(`Loading the bundle failed: ${message.error.name}: ${message.error.message}`))
        else worker.reject()
      })
      worker.on('exit', ({ reason }) => reject(rejected(`The bundle could not be loaded: ${reason}.`)))
    })
  } finally {
    clearTimeout(timer)
    worker.kill('it was asked for its descriptor only', { planned: true })
  }
}

function rejected(message: string): AppError<'BUNDLE_REJECTED'> {
  return new AppError(
    'BUNDLE_REJECTED',
    `${message} Top-level code of a bundle must not do work: move it into run().`,
    { findings: [{ message }] },
  )
}
