import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { openCsv } from '../../../../../stages/input/datasets/csv/csv.js'
import { temporaryFolder } from '../../temp-folder.js'

const folder = temporaryFolder()
const picture = (seed: number): string => Buffer.alloc(90, seed).toString('base64')

let temporary: string
beforeEach(async () => {
  temporary = await mkdtemp(join(tmpdir(), 'pointed-test-'))
  vi.stubEnv('TMPDIR', temporary)
})
afterEach(async () => {
  vi.unstubAllEnvs()
  await rm(temporary, { recursive: true })
})

async function open(name: string, lines: readonly string[]) {
  return openCsv(await folder.write(name, `${lines.join('\n')}\n`))
}

async function images(name: string, lines: readonly string[]): Promise<readonly unknown[]> {
  const found: unknown[] = []
  for await (const { image } of (await open(name, lines)).rows()) found.push(image)
  return found
}

test('replaces a number by the picture of the row with this index, wherever that row is', async () => {
  const lines = [
    'index\tquestion\timage',
    `3\ta\t${picture(3)}`,
    '4\tb\t3',
    '5\tc\t6',
    `6\td\t${picture(6)}`,
    '7\te\t3',
  ]
  const [a, b] = [picture(3), picture(6)]
  expect(await images('mm.tsv', lines)).toEqual([a, a, b, b, a])
  expect(await readdir(temporary)).toEqual([])
})

test('a read that ends early leaves no file behind', async () => {
  const dataset = await open('early.tsv', ['index\timage', `1\t${picture(1)}`, '2\t1', '3\t1'])
  for await (const row of dataset.rows()) if (row['index'] === 2) break
  expect(await readdir(temporary)).toEqual([])
})

test('keeps a number that refers to no row with a picture', async () => {
  expect(await images('none.tsv', ['index\timage', `1\t${picture(1)}`, '2\t9', '3\t2', '2000001\t1'])).toEqual([
    picture(1),
    '9',
    '2',
    picture(1),
  ])
})

test('does not change other files', async () => {
  expect(await images('id.csv', ['id,image', `1,${picture(1)}`, '2,1'])).toEqual([picture(1), '1'])
  expect(await images('paths.csv', ['index,image', '1,a.png', '2,1'])).toEqual(['a.png', '1'])
})
