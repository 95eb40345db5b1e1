/** A path on this server, or `/` for anything that a browser could take for another place. */
export function localPath(to: string | null): string {
  return to !== null && /^\/(?![/\\])[\x21-\x7e]*$/.test(to) && !to.includes('\\') ? to : '/'
}
