import { mkdtemp, mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { loadBundledCode, loadUserCode } from '../../../cache/code/load-user-code.js'

let dir: string
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'pipeline-code-'))
})
afterEach(() => rm(dir, { recursive: true }))

const write = async (name: string, text: string): Promise<string> => {
  await mkdir(join(dir, name, '..'), { recursive: true })
  await writeFile(join(dir, name), text)
  return join(dir, name)
}

test('runs a TypeScript file with its imports, and reports them as its closure', async () => {
  await write('parts/double.ts', 'export const double = (n: number): number => 2 * n')
  const file = await write(
    'utils.ts',
    "import { double } from './parts/double.js'\nexport const f = (n: number) => double(n) + 1",
  )
  const { module, closure } = await loadUserCode(file, { cacheDir: join(dir, 'cache') })
  expect((module['f'] as (n: number) => number)(3)).toBe(7)
  expect(Object.keys(closure)).toEqual(['parts/double.ts', 'utils.ts'])
  expect(await readdir(join(dir, 'cache'))).toEqual([expect.stringMatching(/^[0-9a-f]{64}\.mjs$/)])
})

test('a copy in another folder has the same closure', async () => {
  const one = await loadUserCode(await write('a/utils.ts', 'export const x = 1'), { cacheDir: join(dir, 'cache') })
  const two = await loadUserCode(await write('b/utils.ts', 'export const x = 1'), { cacheDir: join(dir, 'cache') })
  expect(two.closure).toEqual(one.closure)
})

test('a file outside the project may import packages of this installation', async () => {
  const file = await write('utils.ts', "import { z } from 'zod'\nexport const schema = z.string()")
  const { module } = await loadUserCode(file, { cacheDir: join(dir, 'cache') })
  expect((module['schema'] as { parse(v: unknown): unknown }).parse('a')).toBe('a')
})

test('bundled code runs in another folder', async () => {
  await write('one.ts', 'export const one = 1')
  const file = await write(
    'utils.ts',
    "import { z } from 'zod'\nimport { one } from './one.js'\nexport const two = z.number().parse(one + one)",
  )
  const { source } = await loadUserCode(file, { cacheDir: join(dir, 'cache') })
  await rm(file)
  const module = await loadBundledCode(source, { cacheDir: join(dir, 'other'), name: 'utils' })
  expect(module['two']).toBe(2)
})

test('a syntax error is reported with file, line and column', async () => {
  const file = await write('utils.ts', 'export const a = 1\nexport const b = = 2\n')
  await expect(loadUserCode(file, { cacheDir: dir })).rejects.toThrow(/utils\.ts:2:18 {2}Unexpected "="/)
})

test('an error names a missing file and a missing package', async () => {
  const missing = await write('a.ts', "import './nowhere.js'")
  await expect(loadUserCode(missing, { cacheDir: dir })).rejects.toThrow(
    /a\.ts:1:8 {2}Could not resolve "\.\/nowhere\.js"/,
  )
  const alone = await write('b.ts', "import 'no-such-package-here'")
  await expect(loadUserCode(alone, { cacheDir: dir })).rejects.toThrow(/no package "no-such-package-here"/)
})

test('an error names code that throws while it is loaded, with its message', async () => {
  const file = await write('utils.ts', "throw new Error('out of paper')")
  await expect(loadUserCode(file, { cacheDir: dir })).rejects.toThrow(/utils\.ts can't be loaded: out of paper/)
})

test('an error names the line that imports a missing package', async () => {
  await write('parts/far.ts', "// The first line.\nimport { a } from 'no-such-package'\nexport const far = a")
  const file = await write('utils.ts', "export { far } from './parts/far.js'")
  await expect(loadUserCode(file, { cacheDir: dir })).rejects.toThrow(
    /parts\/far\.ts:2:19 {2}no package "no-such-package"/,
  )
})
