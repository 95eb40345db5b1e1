/** Calls `work`, which must not fail, one at a time: calls that come while it runs become one more run after it. */
export function coalesce(work: () => Promise<unknown>): () => void {
  let isBusy = false
  let isAsked = false
  const run = async () => {
    isBusy = true
    while (isAsked) {
      isAsked = false
      await work()
    }
    isBusy = false
  }
  return () => {
    isAsked = true
    if (!isBusy) void run()
  }
}
