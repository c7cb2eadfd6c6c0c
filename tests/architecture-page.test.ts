import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '..')
const page = readFileSync(join(root, 'docs/architecture.md'), 'utf8')
const pathsIn = (text: string): readonly string[] =>
  [...text.matchAll(/`((?:src|stages|cache|base|tasks|tests|scripts|bench|clients|examples|docs)\/[\w./-]*)`/g)].map(
    ([, path = '']) => path,
  )

/** The files of a journey, each once, in the order of its list. */
function hopsOf(title: string): readonly string[] {
  const section =
    page.split(/^## /m).find(text => text.startsWith(title)) ?? expect.unreachable(`no section "${title}"`)
  return [...new Set(pathsIn(section).filter(path => /\.(?:tsx?|py)$/.test(path)))]
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
  ['A job over HTTP', 20],
  ['A page of the viewer', 20],
  ['A Python function of a task', 20],
  ['An imported log', 20],
])('the journey "%s" opens at most %i files', (title, most) => {
  const hops = hopsOf(title)
  expect(hops.length).toBeGreaterThan(5)
  expect(hops.length).toBeLessThanOrEqual(most)
})

test('every folder of the project is in the table', () => {
  const folders = [
    'base/',
    'bench/',
    'cache/',
    'clients/',
    'examples/',
    'scripts/',
    'tasks/',
    'tests/',
    'base/processes/ffmpeg/',
  ]
  const stages = ['stages/input/', 'stages/model/', 'stages/judge/']
  const rows = [...page.matchAll(/^\| (`.*?) \|/gm)].flatMap(([, cell = '']) => pathsIn(cell))
  const inSources = readdirSync(join(root, 'src'), { withFileTypes: true }).flatMap(entry =>
    entry.isDirectory() ? [`src/${entry.name}/`] : [],
  )
  expect([...folders, ...stages, ...inSources].filter(folder => !rows.includes(folder))).toEqual([])
})
