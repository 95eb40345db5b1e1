import { cookies } from 'next/headers'
import type { ReactNode } from 'react'
import { ApiProvider } from '@/app/_trpc/provider'
import { THEME_COOKIE, themeOf } from '@/app/_ui/theme'
import { Shell } from './_components/shell'

export default async function DashboardLayout({ children }: { children: ReactNode }) {
  const theme = themeOf((await cookies()).get(THEME_COOKIE)?.value)
  return (
    <ApiProvider>
      <Shell theme={theme}>{children}</Shell>
    </ApiProvider>
  )
}
