/** "Completed after 4 steps: plan, code ×2, review." — roles in the order of their first step. */
export function summarizeSteps(steps: readonly { role: string }[]): string {
  if (steps.length === 0) return 'Completed without a step.'
  const counts = new Map<string, number>()
  for (const { role } of steps) counts.set(role, (counts.get(role) ?? 0) + 1)
  const roles = [...counts].map(([role, count]) => (count === 1 ? role : `${role} ×${count}`))
  return `Completed after ${steps.length} ${steps.length === 1 ? 'step' : 'steps'}: ${roles.join(', ')}.`
}
