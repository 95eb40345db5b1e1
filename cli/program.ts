import { Command, Option } from 'commander'
import { EXIT_CODES_HELP } from './exit-codes'
import type { Io } from './io'

/** A command's work: its arguments in order, then its options with the global ones, unchecked. Returns an exit code. */
export type Handler = (io: Io, args: readonly string[], options: unknown) => Promise<number>

const collect = (value: string, earlier: string[]) => [...earlier, value]
const many = (flags: string, description: string) => new Option(flags, description).default([], '').argParser(collect)

/**
 * The whole command table. Handlers are loaded when they run, so that `--help` and a typing mistake cost no more than
 * this file. `done` is told the exit code.
 */
export function buildProgram(io: Io, done: (exitCode: number) => void): Command {
  const program = new Command('cairn')
    .description('Runs agent workflows and keeps every run as verifiable, hash-linked history.')
    .option('--url <url>', 'address of the server (CAIRN_URL; default: the nearest .cairn folder)')
    .option('--key <key>', 'API key (CAIRN_KEY; safer than here, where other users of the machine can see it)')
    .option('--dir <folder>', 'the .cairn folder to use (CAIRN_DIR)')
    .option('--json', 'print JSON: one value, or one per line where a command goes on printing')
    .option('--debug', 'show more: log lines of a thread, and where an error came from')
    .configureHelp({ showGlobalOptions: true })
    .addHelpText('after', EXIT_CODES_HELP)
    .showSuggestionAfterError()
    .exitOverride()
    // With --json the caller prints an error of usage as it prints every other.
    .configureOutput({ outputError: (text, write) => (io.json ? undefined : write(text)) })
  const to = (load: () => Promise<Handler>) =>
    async function (this: Command) {
      const handler = await load()
      done(await handler(io, this.args, this.optsWithGlobals()))
    }
  const noun = (name: string, description: string) => program.command(name).description(description)

  program
    .command('up')
    .description('start Postgres, the web server and a runner in this folder; Ctrl-C stops them')
    .option('--port <port>', 'port of the web server (default: 4400, or the next free one)')
    .option('--no-build', 'serve the pages as they were last built')
    .option('--dev', 'rebuild pages and restart the runner when sources change')
    .addOption(many('--label <label>', 'of the runner: threads that ask for it come here (CAIRN_LABELS)'))
    .addOption(
      many('--permission <name>', 'of the runner: like exec:git; it gives no others (CAIRN_PERMISSIONS; default: all)'),
    )
    .option('--capacity <n>', 'of the runner: threads at once (CAIRN_CAPACITY)')
    .action(to(async () => (await import('./commands/up')).up))
  program
    .command('demo')
    .description('start everything, report on this repository with a workflow, verify the result')
    .option('--port <port>', 'port of the web server (default: 4400, or the next free one)')
    .option('--once', 'stop when the report is done')
    .option('--no-build', 'serve the pages as they were last built')
    .action(to(async () => (await import('./commands/demo')).demo))
  program
    .command('open')
    .description('print a fresh link that logs one browser in, once')
    .action(to(async () => (await import('./commands/open')).open))
  program
    .command('build <entry>')
    .description('bundle a workflow source into one .esm.js file')
    .option('-o, --out <file>', 'where to write it (default: beside the entry, with the ending .esm.js)')
    .action(to(async () => (await import('./commands/build')).build))
  program
    .command('run <workflow>')
    .description('start a thread: name, or name@hash for one version')
    .requiredOption('-p, --prompt <text>', 'what to do; "-" reads it from stdin')
    .option('--input <json>', 'input as JSON, @file, or "-" for stdin')
    .option('--watch', 'print its steps as they land, and exit with its return code')
    .option('--wait', 'wait for its end, and exit with its return code')
    .option('--max-rounds <n>', 'end it after this many steps')
    .option('--deadline <seconds>', 'end it after this time')
    .option('--dry-run', 'run no commands')
    .addOption(many('--tag <tag>', 'tag it; may be given several times'))
    .addOption(many('--label <label>', 'only runners with this label take it; may be given several times'))
    .option('--priority <n>', 'before those with a lower one: -1000 to 1000 (default: 0)')
    .option('--idempotency-key <key>', 'the same key and input again give the same thread')
    .action(to(async () => (await import('./commands/run')).run))

  const workflow = noun('workflow', 'register and inspect workflows')
  workflow
    .command('add <name> <file>')
    .description('register a bundle (.esm.js); a .ts file is built first')
    .option('--note <text>', 'why, for the history')
    .option('--types <file>', 'a .d.ts file to keep with it')
    .addOption(many('--grant <grant>', 'let it run a command: exec:git, or exec:git=folder'))
    .action(to(async () => (await import('./commands/workflow')).add))
  workflow
    .command('list')
    .description('all workflows')
    .option('--limit <n>', 'how many at most', '50')
    .action(to(async () => (await import('./commands/workflow')).list))
  workflow
    .command('show <name>')
    .description('roles, routes, versions and grants of one workflow')
    .action(to(async () => (await import('./commands/workflow')).show))
  workflow
    .command('history <name>')
    .description('what happened to a workflow, newest first')
    .option('--limit <n>', 'how many at most', '50')
    .action(to(async () => (await import('./commands/workflow')).history))
  workflow
    .command('rollback <name> [hash]')
    .description('make an earlier version current: the given one, or the one before')
    .option('--note <text>', 'why, for the history')
    .action(to(async () => (await import('./commands/workflow')).rollback))
  workflow
    .command('grant <name> [grants...]')
    .description('add grants: exec:git, or exec:git=folder; --revoke takes one away')
    .addOption(many('--revoke <grant>', 'take away exec:git, or only its folder exec:git=folder'))
    .action(to(async () => (await import('./commands/workflow-grant')).grant))
  workflow
    .command('limits <name>')
    .description('show the limits set for a workflow, or change them')
    .addOption(many('--set <limit=value>', 'like concurrency=2, overflow=drop or labels=gpu,linux'))
    .addOption(many('--unset <limit>', 'back to its default'))
    .option('--note <text>', 'why, for the history')
    .action(to(async () => (await import('./commands/workflow-limits')).limits))

  const thread = noun('thread', 'follow and inspect runs')
  thread
    .command('list')
    .description('threads, newest first')
    .option('--workflow <name>', 'of one workflow')
    .addOption(many('--status <status>', 'with this status; may be given several times'))
    .option('--tag <tag>', 'with this tag')
    .option('--text <text>', 'whose prompt has these words')
    .option('--limit <n>', 'how many at most', '20')
    .option('--cursor <cursor>', 'go on where an earlier list ended')
    .action(to(async () => (await import('./commands/thread')).list))
  thread
    .command('show [id]')
    .description('one thread with its steps')
    .option('--latest', 'the newest thread')
    .option('--role <role>', 'only steps of this role')
    .action(to(async () => (await import('./commands/thread')).show))
  thread
    .command('live [id]')
    .description('print steps as they land, until the thread ends; exits with its return code')
    .option('--latest', 'the newest thread')
    .option('--role <role>', 'only steps of this role')
    .action(to(async () => (await import('./commands/thread-live')).live))
  thread
    .command('verify [id]')
    .description('recompute every hash and digest of its history; exits 1 when something is damaged')
    .option('--latest', 'the newest thread')
    .action(to(async () => (await import('./commands/thread')).verify))
  thread
    .command('fork <id>')
    .description('start a thread that shares its history up to a step (default: all but the last), and print its id')
    .option('--step <n>', 'share this many steps; 0 is the beginning')
    .option('--hash <hash>', 'share everything up to this node')
    .option('--role <role>', 'share everything up to the last run of a role, or to its nth as role:n')
    .option('-p, --prompt <text>', 'another prompt: text, @file, or "-" for stdin')
    .option('--input <json>', 'another input: JSON, @file, or "-" for stdin')
    .option('--workflow <name>', 'another version: its name for the current one, or name@hash')
    .option('--max-rounds <n>', 'end it after this many steps')
    .option('--inject <role>', 'go on after a step of yours, as if this role had returned it')
    .option('--content <text>', 'with --inject: what the role says; text, @file, or "-" for stdin')
    .option('--meta <json>', 'with --inject: its meta, an object; JSON or @file')
    .addOption(many('--ref <hash>', 'with --inject: an object that its content refers to'))
    .addOption(many('--tag <tag>', 'tag it, in place of the tags that the source has'))
    .option('--reason <text>', 'why, for the history')
    .option('--watch', 'print its steps as they land, and exit with its return code')
    .option('--wait', 'wait for its end, and exit with its return code')
    .action(to(async () => (await import('./commands/thread-fork')).fork))
  thread
    .command('compare <a> <b>')
    .description('where two threads part, and what differs from there on; exits 1 when anything does')
    .option('--after <n>', 'only steps above this number')
    .option('--limit <n>', 'how many steps at most', '50')
    .action(to(async () => (await import('./commands/thread-compare')).compare))
  thread
    .command('children <id>')
    .description('threads that it started, newest first')
    .option('--forks', 'those that were forked from it')
    .option('--limit <n>', 'how many at most', '50')
    .option('--cursor <cursor>', 'go on where an earlier list ended')
    .action(to(async () => (await import('./commands/thread-children')).children))
  thread
    .command('logs [id]')
    .description('what its workflow logged, oldest first; to follow one that runs: thread live --debug')
    .option('--latest', 'the newest thread')
    .option('--level <level>', 'this one and graver ones: debug, info, warn or error')
    .option('--after <n>', 'only lines above this number')
    .option('--limit <n>', 'how many at most (default: all)')
    .action(to(async () => (await import('./commands/thread-logs')).logs))
  thread
    .command('ps')
    .description('what runs now')
    .option('--all', 'also what is queued, paused or waiting')
    .option('--limit <n>', 'how many at most', '50')
    .action(to(async () => (await import('./commands/thread-ps')).ps))
  const reason = '--reason <text>'
  const why = 'why, for the history'
  const untilDone = 'wait until it is done; exits 5 when the thread took another way first'
  thread
    .command('pause <id>')
    .description('stop it before its next step, until it is resumed')
    .option(reason, why)
    .option('--wait', untilDone)
    .action(to(async () => (await import('./commands/thread-control')).pause))
  thread
    .command('resume <id>')
    .description('let a paused thread go on')
    .option(reason, why)
    .action(to(async () => (await import('./commands/thread-control')).resume))
  thread
    .command('kill <id>')
    .description('end it with 137, whatever it does now')
    .option(reason, why)
    .option('--wait', untilDone)
    .action(to(async () => (await import('./commands/thread-control')).kill))
  thread
    .command('retry <id>')
    .description('let a failed or killed thread go on where it ended')
    .option(reason, why)
    .action(to(async () => (await import('./commands/thread-control')).retry))
  thread
    .command('rm <id>')
    .description('remove it from the lists; its history stays until it is collected, and forks keep theirs')
    .option(reason, why)
    .action(to(async () => (await import('./commands/thread-control')).remove))
  thread
    .command('input <id> <json>')
    .description('answer what it waits for, or give it what it will ask: JSON, @file, or "-" for stdin')
    .option('--name <name>', 'which question it answers (default: the one that is open)')
    .option('--subject <hash>', 'what is approved, where the question is about something')
    .option('--wait <key>', 'answer this wait, as "thread waits" names it, or nothing')
    .action(to(async () => (await import('./commands/thread-input')).input))
  thread
    .command('inputs <id>')
    .description('what was given to it, newest first')
    .action(to(async () => (await import('./commands/thread-input')).inputs))
  thread
    .command('waits <id>')
    .description('what it waits for and waited for, newest first')
    .action(to(async () => (await import('./commands/thread-input')).waits))

  const cas = noun('cas', 'put and get content by hash')
  cas
    .command('put [file]')
    .description('store bytes from a file, or from stdin')
    .option('--media-type <type>', 'what the bytes are (default: application/octet-stream)')
    .option('--text', 'store them as a content node, which workflows can read; they must be UTF-8')
    .addOption(many('--ref <hash>', 'with --text: another object that it refers to'))
    .action(to(async () => (await import('./commands/cas')).put))
  cas
    .command('get <hash>')
    .description('write exactly the bytes of an object to stdout')
    .option('-o, --out <file>', 'write them to a file')
    .option('--node', 'of a content node: the canonical JSON that its hash is of, not its text')
    .action(to(async () => (await import('./commands/cas')).get))
  cas
    .command('list')
    .description('objects, in the order of their hashes')
    .option('--type <type>', 'blob, content, start, state …')
    .option('--limit <n>', 'how many at most', '50')
    .option('--cursor <cursor>', 'go on where an earlier list ended')
    .action(to(async () => (await import('./commands/cas')).list))
  cas
    .command('refs <hash>')
    .description('what an object refers to, and what refers to it')
    .action(to(async () => (await import('./commands/cas-keep')).refs))
  cas
    .command('pin <hash>')
    .description('keep an object, with everything below it, from garbage collection')
    .option('--note <text>', 'why')
    .action(to(async () => (await import('./commands/cas-keep')).pin))
  cas
    .command('unpin <hash>')
    .description('take your pin away')
    .action(to(async () => (await import('./commands/cas-keep')).unpin))
  cas
    .command('pins')
    .description('what is pinned, and by whom')
    .option('--limit <n>', 'how many at most', '50')
    .option('--cursor <cursor>', 'go on where an earlier list ended')
    .action(to(async () => (await import('./commands/cas-keep')).pins))
  cas
    .command('rm <hash>')
    .description('delete an object that nothing refers to, at once')
    .action(to(async () => (await import('./commands/cas-keep')).remove))
  cas
    .command('gc')
    .description('delete what nothing refers to any more and nobody touched in the grace time')
    .option('--dry-run', 'delete nothing: say what would go')
    .option('--grace <seconds>', 'the grace time (default: 86400, a day; at least 600)')
    .action(to(async () => (await import('./commands/cas-gc')).gc))
  cas
    .command('gc-runs')
    .description('the newest collections, newest first')
    .action(to(async () => (await import('./commands/cas-gc')).gcRuns))

  const runner = noun('runner', 'the processes that run threads')
  runner
    .command('list')
    .description('runners, and what they hold')
    .action(to(async () => (await import('./commands/runner')).list))
  runner
    .command('drain <id>')
    .description('let a runner claim nothing more; what it holds goes on to its end')
    .option('--undo', 'let it claim again')
    .action(to(async () => (await import('./commands/runner')).drain))
  runner
    .command('quarantines')
    .description('workflow versions that no runner claims, because they crashed too often')
    .action(to(async () => (await import('./commands/runner')).quarantines))
  runner
    .command('lift <version>')
    .description('end the quarantine of a workflow version')
    .option('--note <text>', 'why')
    .action(to(async () => (await import('./commands/runner')).lift))

  const system = noun('system', 'whether everything is as it must be')
  system
    .command('invariants')
    .description('prove from the tables that nothing is lost, stuck or counted wrong; exits 1 when something is')
    .option('--deep', 'look at every thread and every object, not at the newest and the unfinished ones only')
    .action(to(async () => (await import('./commands/system')).invariants))
  system
    .command('rebuild')
    .description('compare threads and workflows with their nodes and events; exits 1 when something differs')
    .option('--apply', 'write what differs; what a runner holds is left')
    .action(to(async () => (await import('./commands/system')).rebuild))
  return program
}
