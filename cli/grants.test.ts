import { describe, expect, test } from 'vitest'
import { CliError } from './cli-error'
import { addGrants, formatGrants, parseGrant, revokeGrants } from './grants'

const parse = (text: string) => parseGrant(text, '/work')

describe('grants', () => {
  test('are a command, and a folder taken from where they are typed', () => {
    expect(parse('exec:git')).toEqual({ command: 'git', folder: null })
    expect(parse('exec:git=.')).toEqual({ command: 'git', folder: '/work' })
    expect(parse('exec:git=/a=b')).toEqual({ command: 'git', folder: '/a=b' })
  })
  test.each(['git', 'exec:', 'exec:rm -rf', 'net:example.org', 'exec:git='])('%s is refused as wrong usage', (text) => {
    expect(() => parse(text)).toThrow(CliError)
  })
  test('of one command add their folders; without a folder it may run in any', () => {
    const two = addGrants({ exec: [] }, [parse('exec:git=a'), parse('exec:git=b'), parse('exec:git=a')])
    expect(formatGrants(two)).toEqual(['exec:git=/work/a', 'exec:git=/work/b'])
    expect(formatGrants(addGrants(two, [parse('exec:git')]))).toEqual(['exec:git'])
  })
  test('losing the last folder takes the command away, and does not widen it to every folder', () => {
    const one = addGrants({ exec: [] }, [parse('exec:git=a')])
    expect(revokeGrants(one, [parse('exec:git=a')])).toEqual({ exec: [] })
  })
  test('one that is not there cannot be taken away', () => {
    expect(() => revokeGrants({ exec: [] }, [parse('exec:git')])).toThrow('not granted')
    expect(() => revokeGrants({ exec: [{ command: 'git', folders: [] }] }, [parse('exec:git=a')])).toThrow(
      'not granted',
    )
  })
})
