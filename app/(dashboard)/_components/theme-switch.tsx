'use client'

import { Monitor, Moon, Sun } from 'lucide-react'
import { useState } from 'react'
import { Button } from '@/app/_ui/button'
import { THEME_COOKIE, THEMES, type Theme } from '@/app/_ui/theme'

const ICONS = { system: Monitor, light: Sun, dark: Moon }
const YEAR = 365 * 24 * 3600

/** Goes from system to light to dark and round. */
export function ThemeSwitch({ initial }: { initial: Theme }) {
  const [theme, setTheme] = useState(initial)
  const next = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length] ?? 'system'
  const Icon = ICONS[theme]
  const label = `Theme: ${theme}. Change to ${next}`
  return (
    <Button
      look="quiet"
      size="icon"
      aria-label={label}
      title={label}
      onClick={() => {
        document.documentElement.dataset.theme = next
        const age = next === 'system' ? 0 : YEAR
        // biome-ignore lint/suspicious/noDocumentCookie: Firefox and Safari before 2025 have no Cookie Store API
        document.cookie = `${THEME_COOKIE}=${next}; path=/; max-age=${age}; samesite=lax`
        setTheme(next)
      }}
    >
      <Icon aria-hidden />
    </Button>
  )
}
