/** Three stones on each other: a cairn. */
export function Logo() {
  return (
    <svg viewBox="0 0 24 24" className="size-5 shrink-0" aria-hidden="true">
      <title>Cairn</title>
      <ellipse cx="12" cy="19" rx="9" ry="3.2" className="fill-ink" />
      <ellipse cx="12" cy="12.2" rx="6.2" ry="2.8" className="fill-ink-faint" />
      <ellipse cx="12" cy="6.2" rx="3.8" ry="2.4" className="fill-accent" />
    </svg>
  )
}
