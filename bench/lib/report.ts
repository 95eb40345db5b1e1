/** Prints a benchmark's result: a table for people, or one line of JSON for programs. */

export type Target = { value: number; target: number; unit: string; ok: boolean }
export type BenchResult = {
  name: string
  figures: Record<string, number>
  targets: Record<string, Target>
}

export const atLeast = (value: number, target: number, unit: string): Target => ({
  value: round(value),
  target,
  unit,
  ok: value >= target,
})
export const atMost = (value: number, target: number, unit: string): Target => ({
  value: round(value),
  target,
  unit,
  ok: value <= target,
})

export function median(values: readonly number[]): number {
  return percentile(values, 0.5)
}

/** Nearest-rank percentile; `share` is from 0 to 1. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN
}

export function round(value: number): number {
  return value >= 100 ? Math.round(value) : Number(value.toPrecision(3))
}

export function printResult(result: BenchResult, json: boolean): void {
  if (json) {
    process.stdout.write(`${JSON.stringify(result)}\n`)
    return
  }
  const lines = [`\n${result.name}`]
  for (const [name, value] of Object.entries(result.figures))
    lines.push(`  ${name.padEnd(58)} ${round(value).toLocaleString('en-US').padStart(10)}`)
  for (const [name, t] of Object.entries(result.targets)) {
    lines.push(
      `  ${t.ok ? 'ok    ' : 'missed'} ${name.padEnd(51)} ${`${t.value} ${t.unit}`.padStart(10)}  (target ${t.target})`,
    )
  }
  process.stdout.write(`${lines.join('\n')}\n`)
}
