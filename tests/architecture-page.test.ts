import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '..')
const page = readFileSync(join(root, 'docs/architecture.md'), 'utf8')
const pathsIn = (text: string): readonly string[] =>
  [...text.matchAll(/`((?:src|stages|cache|base|tasks|tests|scripts)\/[\w./-]*)`/g)].map(([, path = '']) => path)

/** The files of a journey, each once. */
function hopsOf(title: string): readonly string[] {
  const section =
    page.split(/^## /m).find(text => text.startsWith(title)) ?? expect.unreachable(`no section "${title}"`)
  return [...new Set(pathsIn(section).filter(path => path.endsWith('.ts')))]
}

test('every file and folder that the page names exists', () => {
  const paths = pathsIn(page)
  expect(paths.length).toBeGreaterThan(60)
  expect(paths.filter(path => !existsSync(join(root, path)))).toEqual([])
})

test.each([
  ['One doc, from row to score', 40],
  ['Rescoring with `judge RUN`', 20],
  ['From SIGKILL to resumed', 15],
])('the journey "%s" opens at most %i files', (title, most) => {
  const hops = hopsOf(title)
  expect(hops.length).toBeGreaterThan(5)
  expect(hops.length).toBeLessThanOrEqual(most)
})
