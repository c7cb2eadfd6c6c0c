import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openDataFile } from '../../../../stages/input/datasets/data-file.js'
import { compileTemplate } from '../../../../stages/input/render/template.js'
import { timeText } from '../../../../stages/input/datasets/columns/times.js'
import { root } from '../../../support/cli.js'

const folder = join(root, 'tests/golden/datasets')
interface Golden {
  readonly template: string
  readonly texts: readonly (string | null)[]
}
const goldenOf = async (name: string): Promise<readonly Golden[]> =>
  JSON.parse(await readFile(join(folder, name), 'utf8')) as readonly Golden[]
const [times, numbers] = [await goldenOf('times.json'), await goldenOf('numbers.json')]

describe.each([
  ['times.parquet', times],
  ['times.arrow', times],
  ['numbers.parquet', numbers],
  ['numbers_integer.parquet', numbers],
  ['numbers.arrow', numbers],
])('in %s', (name, golden) => {
  test.each(golden)('$template prints as in Python', async ({ template, texts }) => {
    const { dataset } = await openDataFile(join(folder, name))
    const compiled = compileTemplate(template, await dataset.findFloats?.())
    const rendered: (string | null)[] = []
    for await (const doc of dataset.rows()) rendered.push(texts[rendered.length] === null ? null : compiled.render(doc))
    expect(rendered).toEqual(texts)
  })
})

const shown = (template: string, when: string): string =>
  compileTemplate(template, { when: { time: { of: 'datetime', unit: 'us' } } }).render({ when })

test('a text that a task puts in place of a time stays a text', () => {
  expect(shown('{{ when }} {{ when[:3] }}', 'Monday')).toBe('Monday Mon')
})

test('throws an error for an unknown directive of strftime', () => {
  expect(() => shown("{{ when.strftime('%Q') }}", '2024-01-02 00:00:00')).toThrow('strftime: %Q is not known')
})

test('throws an error for an unknown attribute of a time', () => {
  expect(() => shown('{{ when.yaer }}', '2024-01-02 00:00:00')).toThrow('"when.yaer" is not there')
})

test('throws an error that names the column for an unknown time zone', () => {
  const column = { of: 'datetime', unit: 's', zone: 'Mars/Olympus' } as const
  expect(() => timeText(0n, column, () => 'a.parquet, column "when"')).toThrow(
    /^a\.parquet, column "when": 0 is no datetime: .*Mars/,
  )
})
