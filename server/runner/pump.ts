/** Work that is never done twice at once: a ring during it makes it be done once more afterwards. */
export class Pump {
  private running: Promise<void> | undefined
  private again = false
  private closed = false

  /** `work` handles its own errors. */
  constructor(private readonly work: () => Promise<void>) {}

  ring(): void {
    if (this.closed) return
    if (this.running !== undefined) {
      this.again = true
      return
    }
    this.running = this.work().finally(() => {
      this.running = undefined
      if (!this.again) return
      this.again = false
      this.ring()
    })
  }

  /** Nothing begins any more; resolves when what runs is over. */
  async close(): Promise<void> {
    this.closed = true
    await this.running
  }
}
