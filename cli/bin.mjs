#!/usr/bin/env node
import { fileURLToPath } from 'node:url'
// The entry is plain JavaScript: it loads the TypeScript sources through tsx, wherever the command was started from.
import { register } from 'tsx/esm/api'

register({ tsconfig: fileURLToPath(new URL('../tsconfig.json', import.meta.url)) })
const { main } = await import('./main.ts')
await main(process.argv.slice(2))
