import { expect, it } from 'vitest'
import { parseEnv } from './env'

it('the port has a default, the database has none', () => {
  expect(parseEnv({ DATABASE_URL: 'postgres://u@127.0.0.1:5432/cairn' })).toEqual({
    DATABASE_URL: 'postgres://u@127.0.0.1:5432/cairn',
    CAIRN_PORT: 4400,
    CAIRN_EMBEDDED: false,
  })
})

it('all that is wrong is named at once', () => {
  const parse = () => parseEnv({ DATABASE_URL: 'mysql://u@h/x', CAIRN_PORT: '70000', CAIRN_EMBEDDED: 'perhaps' })
  expect(parse).toThrow(/DATABASE_URL.*CAIRN_PORT.*CAIRN_EMBEDDED/s)
  expect(() => parseEnv({})).toThrow(/DATABASE_URL/)
})
