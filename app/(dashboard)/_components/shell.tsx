import Link from 'next/link'
import type { ReactNode } from 'react'
import type { Theme } from '@/app/_ui/theme'
import { Logo } from './logo'
import { NavLinks } from './nav-links'
import { PaletteButton } from './palette-button'
import { ThemeSwitch } from './theme-switch'

/** The frame of every page: a side bar, or on a phone a top bar and tabs at the bottom. */
export function Shell({ theme, children }: { theme: Theme; children: ReactNode }) {
  return (
    <div className="min-h-dvh md:grid md:grid-cols-[13rem_minmax(0,1fr)]">
      <a
        href="#content"
        className="sr-only z-50 rounded-md bg-solid px-3 py-2 text-on-solid focus:not-sr-only focus:fixed focus:top-2 focus:left-2"
      >
        Skip to content
      </a>
      <header className="sticky top-0 z-20 flex h-12 items-center justify-between border-b border-line bg-canvas/95 px-4 backdrop-blur md:h-dvh md:flex-col md:items-stretch md:justify-start md:gap-4 md:border-r md:border-b-0 md:px-3 md:py-4">
        <Link href="/threads" className="flex items-center gap-2 px-2 text-lg font-semibold tracking-tight">
          <Logo />
          Cairn
        </Link>
        <div className="flex items-center gap-1 md:contents">
          <PaletteButton />
          <nav aria-label="Pages" className="hidden gap-0.5 md:grid">
            <NavLinks place="side" />
          </nav>
          <div className="md:mt-auto">
            <ThemeSwitch initial={theme} />
          </div>
        </div>
      </header>
      <main id="content" className="min-w-0 px-4 pt-5 pb-24 md:px-8 md:pt-7 md:pb-12">
        <div className="mx-auto max-w-[88rem]">{children}</div>
      </main>
      <nav
        aria-label="Pages"
        className="fixed inset-x-0 bottom-0 z-20 flex border-t border-line bg-canvas/95 pb-[env(safe-area-inset-bottom)] backdrop-blur md:hidden"
      >
        <NavLinks place="bottom" />
      </nav>
    </div>
  )
}
