import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const SCHEMA_FILE = join(dirname(fileURLToPath(import.meta.url)), '..', 'schema.sql')
