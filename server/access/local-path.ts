/** A path on this server, or `/` for anything that a browser could take for another place. */
export function localPath(path: string | null): string {
  return path !== null && /^\/(?![/\\])[\x21-\x7e]*$/.test(path) && !path.includes('\\') ? path : '/'
}
