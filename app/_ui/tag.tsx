export function Tag({ name }: { name: string }) {
  return (
    <span
      title={name}
      className="inline-block max-w-40 truncate rounded border border-line bg-raised px-1.5 text-xs leading-5 text-ink-soft"
    >
      {name}
    </span>
  )
}
