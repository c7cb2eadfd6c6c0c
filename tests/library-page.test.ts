import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { documentedFiles } from './support/documented-files.js'
import { root } from './support/cli.js'

const programs = join(root, 'tests/library/programs')

test('docs/library.md shows every program in full, as the tests run it', async () => {
  const shown = await documentedFiles(join(root, 'docs/library.md'))
  const files = await Promise.all(
    (await readdir(programs)).map(async name => [name, await readFile(join(programs, name), 'utf8')] as const),
  )
  expect(files.length).toBeGreaterThan(6)
  expect(Object.fromEntries([...shown].filter(([name]) => !name.endsWith('.out')))).toEqual(Object.fromEntries(files))
})

test('docs/library.md shows what each program prints', async () => {
  const shown = await documentedFiles(join(root, 'docs/library.md'))
  const running = [...shown].filter(([, text]) => text.includes('console.log')).map(([name]) => name)
  expect(running.map(name => name.replace('.ts', '.out')).filter(name => !shown.has(name))).toEqual([])
})
