import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { checkDescriptor } from './descriptor'
import { validateBundle } from './validate'

const DESCRIPTOR = 'export const descriptor = {};'

function check(source: string | Uint8Array, more: { name?: string; fileName?: string } = {}) {
  return validateBundle({ fileName: 'x.esm.js', source, ...more })
}
/** Findings as "line:column message". */
function found(source: string) {
  return check(source).findings.map(({ line, column, message }) => `${line}:${column} ${message}`)
}

describe('run may be', () => {
  it.each([
    ['an async generator', 'export async function* run() {}'],
    ['a function', 'export function run() {}'],
    ['an arrow', 'export const run = () => go()'],
    ['a function expression', 'export const run = async function* () {}'],
    ['a call', 'export const run = createWorkflow({})'],
    ['a method call', 'export const run = sdk.createWorkflow({})'],
    ['an identifier bound to one', 'const a = () => {}; const b = a; export const run = b'],
    ['a function that is hoisted', 'export const run = later; function later() {}'],
    ['exported under that name', 'var made = make(); export { made as run }'],
    ['exported under that name as a string', 'var made = make(); export { made as "run" }'],
    ['set later', 'let run; run = make(); export { run }'],
    ['imported from the SDK', "import { echo } from 'cairn/sdk'; export { echo as run }"],
  ])('%s', (_what, source) => {
    expect(check(`${DESCRIPTOR}\n${source}`)).toEqual({ ok: true, findings: [], warnings: [] })
  })

  it.each([
    ['a number', 'export const run = 7', /^2:14 run is a literal/],
    ['a number behind names', 'const a = 7; const b = a; export { b as run }', /^2:36 run is a literal/],
    ['an object', 'export const run = {}', /run is an object expression/],
    ['a class', 'export class run {}', /run is a class/],
    ['a template', 'export const run = `x`', /run is a template literal/],
    ['undefined', 'export const run = undefined', /run is undefined/],
    ['an async function', 'export async function run() {}', /make it an async generator/],
    ['a synchronous generator', 'export function* run() {}', /make it an async generator/],
  ])('not %s', (_what, source, message) => {
    const findings = found(`${DESCRIPTOR}\n${source}`)
    expect(findings).toHaveLength(1)
    expect(findings[0]).toMatch(/^2:/)
    expect(findings[0]).toMatch(new RegExp(message.source.replace(/^\^\d+:\d+ /, '')))
  })

  it('not a circle of names that never ends', () => {
    expect(check(`${DESCRIPTOR} const a = b; const b = a; export { a as run }`).ok).toBe(true)
  })
})

describe('exports', () => {
  it('name what is missing', () => {
    expect(found('')).toEqual([
      expect.stringContaining('does not export run'),
      expect.stringContaining('does not export descriptor'),
    ])
  })

  it.each([
    ['export default run', 'export function run() {}\nexport default run'],
    ['a default by name', 'export function run() {}\nexport { run as default }'],
    ['a default from a built-in', "export function run() {}\nexport { default } from 'node:fs'"],
    ['a default namespace', "export function run() {}\nexport * as default from 'node:fs'"],
  ])('refuse %s', (_what, source) => {
    expect(found(`${source}\n${DESCRIPTOR}`)).toEqual([expect.stringMatching(/^2:\d+ A bundle has no default export/)])
  })

  it('may be destructured', () => {
    expect(check('export const { run, descriptor } = make()').ok).toBe(true)
  })

  it('do not count when they come from an export * of a built-in', () => {
    expect(found("export * from 'node:test'")[0]).toContain('does not export run')
  })
})

describe('loading code', () => {
  const bundle = (code: string) => `${code}\nexport function run() {}\n${DESCRIPTOR}`

  it.each([
    ["import fs from 'node:fs'"],
    ["import { join } from 'path'"],
    ["import { readFile } from 'fs/promises'"],
    ["import { z } from 'cairn/sdk'"],
    ["export { join } from 'node:path'"],
    ['const ask = typeof require'],
    ['const wrap = ((require, module) => { require("x") })()'],
    ['const o = { require: 1 }; o.require'],
    ['"import(\'x\')"; /require("x")/; // require("x")'],
  ])('allows %s', (code) => {
    expect(found(bundle(code))).toEqual([])
  })

  it.each([
    ["import x from 'zod'", /"zod" is not part of Node/],
    ["import './side-effect.js'", /"\.\/side-effect\.js"/],
    ["import x from '/etc/passwd'", /"\/etc\/passwd"/],
    ["import x from 'file:///x.js'", /not part of Node/],
    ["import x from 'data:text/javascript,1'", /not part of Node/],
    ["import x from 'https://x.test/x.js'", /not part of Node/],
    ["import x from 'cairn/sdkx'", /not part of Node/],
    ["import x from 'cairn/sdk/testing'", /not part of Node/],
    ["import x from 'node:nothing'", /not part of Node/],
    ["import x from './a.json' with { type: 'json' }", /not part of Node/],
    ["export { x } from 'left-pad'", /"left-pad"/],
    ["export * from 'left-pad'", /"left-pad"/],
    ["export * as x from 'left-pad'", /"left-pad"/],
    ["const x = await import('node:fs')", /^1:17 import\(\) is not allowed/],
    ['const x = await import(name)', /import\(\)/],
    [`const x = () => \`\${import('x')}\``, /import\(\)/],
    ["class A { static x = import('x') }", /import\(\)/],
    ["const x = require('fs')", /^1:11 require is not allowed/],
    ["require.resolve('fs')", /require is not/],
    ['const load = require', /require is not/],
    ['const o = { require }', /require is not/],
    ["const o = { [require('x')]: 1 }", /require is not/],
    ["import { createRequire } from 'node:module'", /"node:module" can load code/],
    ["import { createRequire as c } from 'module'", /"module" can load code/],
    ["import module from 'node:module'", /can load code/],
    ["import * as m from 'module'", /can load code/],
    ["export * from 'module'", /can load code/],
    ['process.getBuiltinModule("module")', /getBuiltinModule is not allowed/],
    ['process["getBuiltinModule"]("module")', /getBuiltinModule is not allowed/],
    ['m["createRequire"]("x")', /createRequire is not allowed/],
  ])('refuses %s', (code, message) => {
    const findings = found(bundle(code))
    expect(findings.length).toBeGreaterThan(0)
    expect(findings.every((finding) => finding.startsWith('1:'))).toBe(true)
    expect(findings.join('\n')).toMatch(message)
  })

  it('stops after 100 findings', () => {
    expect(found(bundle("require('x');".repeat(5_000)))).toHaveLength(100)
  })

  it('names every problem at once, in the order of the file', () => {
    const findings = found("import a from 'a'\nimport('b')\n\n  require('c')\nexport default 1")
    expect(findings.map((finding) => finding.replace(/ .*/, ''))).toEqual(['1:1', '1:1', '1:15', '2:1', '4:3', '5:1'])
  })

  it('warns of what a bundle may import but not use, and of its own address', () => {
    const { ok, warnings } = check(bundle("import { spawn } from 'node:child_process'\nspawn(import.meta.url)"))
    expect(ok).toBe(true)
    expect(warnings).toEqual([
      expect.stringContaining('node:child_process is blocked'),
      expect.stringMatching(/^2:7: import\.meta/),
    ])
  })
})

describe('a file', () => {
  const good = `export function run() {}\n${DESCRIPTOR}`

  it('that does not parse has the place of the error', () => {
    expect(found('export const run = () => {\n  let x = ;\n}')).toEqual(['2:11 Syntax error: Unexpected token.'])
    expect(found('with (a) {}')[0]).toMatch(/^1:1 Syntax error/)
  })

  it.each(['x.js', 'x.mjs', '.esm.js', 'a/x.esm.js', 'x.esm.js.exe', 'x.ESM.JS', 'x\0.esm.js'])(
    'may not be named %j',
    (fileName) => {
      expect(check(good, { fileName }).findings[0]?.message).toMatch(/must end in \.esm\.js/)
    },
  )

  it.each(['', 'Caps', 'two--hyphens', '-x', '__start__', 'a_b', 'a'.repeat(65), 'ä', 'constructor.'])(
    'is refused for the workflow name %j',
    (name) => {
      expect(check(good, { name }).findings[0]?.message).toMatch(/workflow name/)
    },
  )

  it('must be UTF-8', () => {
    expect(check(new Uint8Array([0x2f, 0x2f, 0xff])).findings[0]?.message).toMatch(/UTF-8/)
    expect(check('// \ud800').findings[0]?.message).toMatch(/UTF-8/)
    expect(check(Buffer.from(`// ✓ 😀\n${good}`)).ok).toBe(true)
  })

  it('holds no NUL, because the database cannot', () => {
    expect(check(`${good}\n// a\0b`).findings).toEqual([
      { line: 3, column: 5, message: expect.stringContaining('NUL') },
    ])
  })

  it('has at most 10 MiB in bytes', () => {
    const room = 10 * 1024 * 1024 - Buffer.byteLength(good) - 3
    expect(check(`${good}\n//${'x'.repeat(room)}`).ok).toBe(true)
    expect(check(`${good}\n//${'x'.repeat(room + 1)}`).findings[0]?.message).toMatch(/at most 10485760 \(10 MiB\)/)
    expect(check(`${good}\n//${'é'.repeat(room / 2 + 1)}`).findings[0]?.message).toMatch(/10 MiB/)
  })

  it('that nests without end is refused or read, and never overflows', () => {
    for (const code of [
      `x${'.a'.repeat(200_000)}`,
      `x = ${'['.repeat(100_000)}${']'.repeat(100_000)}`,
      `x = ${'1+'.repeat(100_000)}1`,
      `const ${'['.repeat(50_000)}a${']'.repeat(50_000)} = 1`,
    ]) {
      const { ok, findings } = check(`${good}\n${code}`)
      expect(ok || /nests too deeply/.test(findings[0]?.message ?? '')).toBe(true)
    }
  })
})

describe('a bundle of millions of characters', () => {
  const good = 'export async function* run() {}\nexport const descriptor = {}'
  const many = (text: (n: number) => string, count: number) => Array.from({ length: count }, (_, n) => text(n))

  it.each([
    ['a table', `const table = [${many(String, 200_000)}]`],
    ['an object', `const table = {${many((n) => `a${n}:1`, 200_000)}}`],
    ['statements', 'run();'.repeat(200_000)],
    ['a pattern', `const [${many((n) => `a${n}`, 200_000)}] = []`],
  ])('may be %s of 200,000', (_, code) => {
    expect(check(`${good}\n${code}`).findings).toEqual([])
  })

  it('is read in time that grows with its size, however many names it declares', { timeout: 30_000 }, () => {
    const code = many((n) => `function f${n}(a) { return a }`, 200_000).join('\n')
    expect(check(`${good}\n${code}\nlet f7`).findings[0]?.message).toMatch(/f7.*already been declared/)
  })
})

describe('whatever comes', () => {
  const token = fc.constantFrom(
    ...`import export default from * as { } ( ) [ ] ; , = => => . ... run descriptor require createRequire import.meta
      'node:fs' 'zod' async function function* await yield const let var class extends new typeof 7 \`\${ } \` /x/ // /* */ \n`.split(
      ' ',
    ),
  )

  it('the answer is ok, or findings that say where', () => {
    const source = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.array(token, { maxLength: 30 }).map((all) => all.join(' ')),
    )
    fc.assert(
      fc.property(source, fc.string({ unit: 'binary' }), fc.string(), (text, name, fileName) => {
        const { ok, findings } = validateBundle({ name, fileName, source: text })
        expect(ok).toBe(findings.length === 0)
        for (const { message, line, column } of findings) {
          expect(message).toMatch(/\.$/)
          expect((line === undefined) === (column === undefined)).toBe(true)
        }
      }),
      { numRuns: 2_000 },
    )
  })

  it('bytes are read or refused', () => {
    fc.assert(
      fc.property(fc.uint8Array(), (source) => {
        const { ok, findings } = check(source)
        expect(ok).toBe(findings.length === 0)
      }),
    )
  })

  it('a descriptor is taken or refused', () => {
    fc.assert(
      fc.property(fc.anything({ withNullPrototype: true, withBigInt: true, withDate: true }), (value) => {
        const checked = checkDescriptor(value)
        expect(checked.ok || checked.findings.length > 0).toBe(true)
      }),
    )
  })
})
