import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const folder = join(import.meta.dirname, '..', 'docs', 'decisions')
const read = (name: string): string => readFileSync(join(folder, name), 'utf8')
const index = read('README.md')
const pages = readdirSync(folder).filter(name => name.endsWith('.md') && name !== 'README.md')
const statusLine = /^Status: (?:accepted|superseded by \[[^\]]+\]\(([\w-]+\.md)\)), \d{4}-\d{2}-\d{2}$/

test('the index of decisions has one line for each page, with its title and a sentence', () => {
  const lines = [...index.matchAll(/^- \[(.+)\]\(([\w-]+\.md)\): \S.*\.$/gm)]
  const listed = lines.map(([, title = '', name = '']) => ({ name, title }))
  const expected = pages.map(name => ({ name, title: read(name).split('\n')[0]?.replace(/^# /, '') ?? '' }))
  const byName = (a: { name: string }, b: { name: string }): number => (a.name < b.name ? -1 : 1)
  expect(listed.sort(byName)).toEqual(expected.sort(byName))
})

test('every decision has a status and a date below its title', () => {
  expect(pages.length).toBeGreaterThan(40)
  expect(pages.filter(name => !statusLine.test(read(name).split('\n')[2] ?? ''))).toEqual([])
})

test('the page that supersedes a decision exists', () => {
  const successors = pages.flatMap(name => statusLine.exec(read(name).split('\n')[2] ?? '')?.[1] ?? [])
  expect(successors.filter(name => !pages.includes(name))).toEqual([])
})
