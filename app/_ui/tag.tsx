export function Tag({ name }: { name: string }) {
  return <span className="rounded border border-line bg-raised px-1.5 text-xs leading-5 text-ink-soft">{name}</span>
}
