import { expect, test } from 'vitest'
import { plain } from '../../../../src/present/text/layout/paint.js'
import { verifyLines } from '../../../../src/present/text/store-report.js'

const named = (kind: string, count: number) =>
  Array.from({ length: count }, (_, index) => ({ kind, name: `${kind}-${index}` }))

test('names damaged records, and the command that repairs this store', () => {
  const report = { checked: { response: 5 }, damaged: named('response', 2), repaired: false }
  expect(verifyLines(report, ' --store there', plain)).toEqual([
    'damaged  response  response-0',
    'damaged  response  response-1',
    'checked: response 5',
    '2 damaged records: repair or remove them, to be computed again:  pipeline cache verify --repair --store there',
  ])
})

test('names the first damaged records of a kind, and counts the others', () => {
  const damaged = [...named('request', 100_000), ...named('preimage', 1), ...named('item', 21)]
  const lines = verifyLines({ checked: {}, damaged, repaired: true }, '', plain)
  expect(lines.filter(line => line.includes('request'))).toHaveLength(21)
  expect(lines[20]).toBe('damaged  request  … and 99,980 more, all of them with --json')
  expect(lines).toContain('damaged  preimage  preimage-0')
  expect(lines).toContain('damaged  item  item-20')
  expect(lines.at(-1)).toContain('100,022 damaged records')
})
