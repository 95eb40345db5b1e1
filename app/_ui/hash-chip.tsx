import Link from 'next/link'
import { cn } from './cn'
import { CopyButton } from './copy-button'

/** A hash in its short form (first 7 of 13 characters), whole on hover and by the copy button. */
export function HashChip(props: { hash: string; href?: string; label?: string; className?: string; whole?: boolean }) {
  const text = props.whole === true ? props.hash : props.hash.slice(0, 7)
  const style = 'rounded font-mono text-[0.92em] tracking-tight'
  return (
    <span className={cn('inline-flex items-center whitespace-nowrap', props.className)}>
      {props.href === undefined ? (
        <code className={style} title={props.hash}>
          {text}
        </code>
      ) : (
        <Link href={props.href} title={props.hash} className={cn(style, 'text-accent hover:underline')}>
          {text}
        </Link>
      )}
      <CopyButton text={props.hash} label={props.label ?? `hash ${props.hash}`} />
    </span>
  )
}
