import { cva, type VariantProps } from 'class-variance-authority'
import { Slot } from 'radix-ui'
import type { ComponentProps } from 'react'
import { cn } from './cn'

export const buttonStyle = cva(
  'inline-flex shrink-0 items-center justify-center gap-1.5 rounded-md font-medium whitespace-nowrap transition-colors disabled:cursor-not-allowed disabled:opacity-55 [&_svg]:size-4 [&_svg]:shrink-0',
  {
    variants: {
      look: {
        solid: 'bg-solid text-on-solid hover:bg-solid/85',
        outline: 'border border-line-strong bg-surface text-ink hover:bg-raised',
        quiet: 'text-ink-soft hover:bg-raised hover:text-ink',
        danger: 'border border-danger/50 bg-surface text-danger hover:bg-danger/10',
      },
      size: {
        small: 'h-7 px-2 text-sm',
        medium: 'h-8 px-3 text-sm',
        icon: 'size-8',
        iconSmall: 'size-6',
      },
    },
    defaultVariants: { look: 'outline', size: 'medium' },
  },
)

type ButtonProps = ComponentProps<'button'> & VariantProps<typeof buttonStyle> & { asChild?: boolean }

/** `asChild` gives the look to its one child, for links that act as buttons. */
export function Button({ className, look, size, asChild = false, type = 'button', ...props }: ButtonProps) {
  const classes = cn(buttonStyle({ look, size }), className)
  if (asChild) return <Slot.Root className={classes} {...props} />
  return <button type={type} className={classes} {...props} />
}
