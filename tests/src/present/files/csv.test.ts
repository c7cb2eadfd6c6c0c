import fc from 'fast-check'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { csvLine, csvReport } from '../../../../src/present/files/csv.js'
import { csvRecords } from '../../../../stages/input/datasets/csv/csv-records.js'
import { visibleText } from '../../../../base/text/visible-text.js'
import { root } from '../../../support/cli.js'
import { aggregate, failed } from '../../../support/report-data.js'
import { hostileTexts, reportedRun, textOf } from '../../../support/reported-runs.js'

async function parsed(text: string): Promise<readonly (readonly string[])[]> {
  async function* pieces(): AsyncGenerator<string> {
    yield await Promise.resolve(text)
  }
  const records: (readonly string[])[] = []
  for await (const batch of csvRecords(pieces(), { separator: ',' })) records.push(...batch)
  return records
}

const golden = (name: string): string => join(root, 'tests/golden/reports', name)

const color = { field: 'type', label: 'color' }

test('a row is an aggregate of a run, with its interval, n and coverage', async () => {
  const first = reportedRun('brave-otter-7f3a', {
    aggregates: [
      aggregate({ n: 996, unparsed: 3, empty: 1 }),
      aggregate({ group: color, value: 1, interval: null, intervalMethod: 'none', stderr: null, n: 110, total: 110 }),
      aggregate({ task: 'all', of: ['shapes_vqa', 'mmmu_val'], value: null, interval: null, n: 0, total: 0 }),
    ],
    failures: [failed('3', 'timeout', 'no answer'), { ...failed('3', 'timeout', 'no answer'), task: 'shapes_vqa' }],
  })
  const second = reportedRun('calm-heron-19c2', { aggregates: [aggregate({ filter: 'strict,1', value: 1 / 3 })] })
  const text = await textOf(csvReport([first, second]))
  expect(text.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/)
  await expect(text.replaceAll('\r\n', '\n')).toMatchFileSnapshot(golden('two-runs.csv'))
  const [header = [], ...rows] = await parsed(text)
  const cell = (row: number, column: string): string | undefined => rows[row]?.[header.indexOf(column)]
  expect(rows).toHaveLength(4)
  expect(cell(0, 'coverage')).toBe('0.996')
  expect([0, 1, 2].map(row => cell(row, 'failed'))).toEqual(['1', '', '2'])
  expect(Number(cell(3, 'value'))).toBe(1 / 3)
  expect(cell(3, 'filter')).toBe('strict,1')
})

/** The text that a reader restores from a cell, as the documentation says. */
const restored = (cell: string): string => (cell.startsWith("'") ? cell.slice(1) : cell)

test('every text reads back unchanged, is no formula and contains no control characters', async () => {
  const texts = fc.oneof(fc.constantFrom(...hostileTexts), fc.string({ unit: 'binary' }))
  await fc.assert(
    fc.asyncProperty(fc.array(texts, { minLength: 2, maxLength: 5 }), async names => {
      const line = csvLine([...names, 'end'])
      expect(line.replaceAll('\r\n', '')).not.toMatch(/[\p{Bidi_Control}\p{Zl}\p{Zp}\p{Cs}\0-\u0008\u000b-\u001f]/u)
      const [record = [], ...others] = await parsed(line)
      expect(others).toEqual([])
      expect(record.map(restored)).toEqual([...names.map(name => visibleText(name)), 'end'])
      for (const cell of record) expect(cell).not.toMatch(/^\s*[=+\-@＝＋－＠]/u)
    }),
  )
})

test('writes a negative number without an apostrophe, unlike a text', () => {
  expect(csvLine([-0.5, '-0.5', null, undefined, true, 1e-7])).toBe("-0.5,'-0.5,,,true,1e-7\r\n")
})
