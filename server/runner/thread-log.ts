import type { Lease } from './lease'
import type { LogLevel, LogWriter } from './log-writer'

/** What a line counts for beside its text, so that lines without text are bounded too. */
const LINE_BYTES = 64

/** The log of one run; with what earlier runs of the thread have said, it is cut at the bound logBytes. */
export class ThreadLog {
  constructor(
    private readonly writer: LogWriter,
    private readonly lease: Lease,
    private readonly maxBytes: number,
    /** Stored of the thread so far. */
    private bytes: number,
  ) {}

  add(level: LogLevel, tag: string | null, text: string): void {
    if (this.bytes > this.maxBytes) return
    this.bytes += Buffer.byteLength(text) + LINE_BYTES
    this.writer.add(this.lease, level, tag, text)
    if (this.bytes > this.maxBytes) {
      const cut = `the log is cut here: it reached the bound logBytes (${this.maxBytes})`
      this.writer.add(this.lease, 'warn', 'log', cut)
    }
  }

  /** Resolves when all that was added is stored. */
  flush(): Promise<void> {
    return this.writer.flush()
  }
}
