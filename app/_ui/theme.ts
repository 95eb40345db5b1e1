/** `system` follows the reader's system and is kept by having no cookie. */
export const THEMES = ['system', 'light', 'dark'] as const
export type Theme = (typeof THEMES)[number]

/** A cookie and not local storage: the server writes the theme into the first byte, so no script of ours must run early. */
export const THEME_COOKIE = 'cairn_theme'

export function themeOf(cookie: string | undefined): Theme {
  return cookie === 'light' || cookie === 'dark' ? cookie : 'system'
}
