/** A page without scripts: it is shown before the dashboard may be. `problem` is one of our own sentences, or is escaped. */
export function loginPage(problem: string): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Log in · Cairn</title>
<style>
  :root { color-scheme: light dark }
  body { font: 16px/1.6 system-ui, sans-serif; max-width: 34rem; margin: 18vh auto; padding: 0 1.5rem }
  h1 { font-size: 1.35rem; margin: 0 0 .75rem }
  code { font: 14px ui-monospace, monospace; padding: .6rem .8rem; display: block; border: 1px solid #8886; border-radius: .5rem }
</style>
<main>
  <h1>${escapeHtml(problem)}</h1>
  <p>In a terminal, in the folder where Cairn runs, enter this for a fresh link:</p>
  <code>npx cairn open</code>
  <p>The link works once, within ten minutes. The browser that opens it stays logged in for thirty days.</p>
</main>
</html>
`
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
