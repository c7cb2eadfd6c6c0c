import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { countCompatResults, makeCompatTable, readCompatResults } from './support/compat-results.js'

const page = readFileSync(new URL('../docs/compat.md', import.meta.url), 'utf8')
const results = readCompatResults()

/** Reads the counts of one section: rows of a result, its tasks, and its meaning. */
function readCounts(heading: string): ReadonlyMap<string, number> {
  const section = page.split(/^## /m).find(part => part.startsWith(heading)) ?? ''
  const rows = [...section.matchAll(/^\| ([a-zA-Z -]+?) +\| +(\d+) +\|/gm)]
  return new Map(rows.map(([, result = '', count]) => [result, Number(count)]))
}

describe('the page on compatibility', () => {
  test.each([
    ['Functions of lmms-eval', 'lmms-eval', 'functions'],
    ['Whole evaluations of lmms-eval', 'lmms-eval', 'evaluation'],
    ['Whole evaluations of lm-evaluation-harness', 'lm-eval', 'evaluation'],
  ] as const)('%s: has the counts of the measured results', (heading, name, column) => {
    expect(Object.fromEntries(readCounts(heading))).toEqual(
      Object.fromEntries(countCompatResults(results, name, column)),
    )
  })

  test('lists each measured task once, with its reasons', () => {
    const rows = makeCompatTable(results)
      .split('\n')
      .filter(line => /^\| lmm?s?-eval /.test(line))
    expect(rows).toHaveLength(results.length)
    expect(new Set(rows.map(row => row.split(' | ').slice(0, 2).join())).size).toBe(results.length)
    const [first] = results.filter(one => one.evaluation === 'differs')
    expect(rows.find(row => row.includes(first?.file ?? '?'))).toContain('`')
  })
})
