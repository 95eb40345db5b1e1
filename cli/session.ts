import { CliError, toCliError } from './cli-error'
import { type Client, connect } from './client'
import { EXIT_CODES } from './exit-codes'
import { connectionOptions, parseOptions } from './options'

/** Runs a command's calls against the server it names; failures say which server that was. */
export async function withServer<T>(options: unknown, work: (client: Client, url: string) => Promise<T>): Promise<T> {
  const { client, url } = await connect(parseOptions(connectionOptions, options))
  try {
    return await work(client, url)
  } catch (error) {
    throw toCliError(error, url)
  }
}

/** The id given, or with --latest the newest thread's. */
export async function threadIdOf(client: Client, id: string | undefined, latest: boolean): Promise<string> {
  if (id !== undefined && !latest) return id
  if (id !== undefined || !latest) throw new CliError(EXIT_CODES.usage, 'Give the id of a thread, or --latest.')
  const { items } = await client.thread.list.query({ limit: 1 })
  const newest = items[0]
  if (!newest) throw new CliError(EXIT_CODES.notFound, 'There is no thread yet. Start one with "cairn run".')
  return newest.id
}
