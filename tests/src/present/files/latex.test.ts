import fc from 'fast-check'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { latexReport, texText } from '../../../../src/present/files/latex.js'
import { root } from '../../../support/cli.js'
import { aggregate } from '../../../support/report-data.js'
import { hostileTexts, reportedRun, scoredSample, textOf } from '../../../support/reported-runs.js'

const golden = (name: string): string => join(root, 'tests/golden/reports', name)

const docs = (right: number) => Array.from({ length: 40 }, (_, index) => scoredSample(index, +(index < right)))

test('shows the scores of one run with intervals, n and coverage', async () => {
  const run = reportedRun('brave-otter-7f3a', {
    aggregates: [
      aggregate({ value: 0.905, interval: [0.887, 0.923] }),
      aggregate({ metric: 'anls', n: 996 }),
      aggregate({ metric: 'bleu', value: 12.5, interval: null }),
      aggregate({ metric: 'none', value: null, interval: null, n: 0, total: 0 }),
      aggregate({ group: { field: 'type', label: 'color' } }),
      aggregate({ task: 'all & more', of: ['shapes_vqa'], value: 0.5, interval: null }),
    ],
  })
  await expect(await textOf(latexReport([run]))).toMatchFileSnapshot(golden('one-run.tex'))
})

test('the best of several runs is bold only if the paired comparison says so', async () => {
  const run = (name: string, right: number) =>
    reportedRun(name, {
      aggregates: [aggregate({ value: right / 40, interval: [right / 40 - 0.1, right / 40 + 0.08], n: 39, total: 40 })],
      samples: docs(right),
    })
  const text = await textOf(latexReport([run('low', 10), run('high', 30)]))
  await expect(text).toMatchFileSnapshot(golden('two-runs.tex'))
  expect(text).toContain('\\mathbf{0.750}')
  expect(await textOf(latexReport([run('low', 29), run('high', 30)]))).not.toContain('mathbf')
  expect(await textOf(latexReport([run('low', 10), run('high', 30), run('third', 31)]))).not.toContain('mathbf')
})

/** Whether TeX reads a text as characters and their commands only. */
function isPlain(text: string): boolean {
  const rest = text
    .replace(
      /\\(?:text(?:backslash|asciitilde|asciicircum|less|greater|bar|asciigrave)\{\}|symbol\{34\}|[&%$#_{}])/g,
      '',
    )
    .replace(/\{[-[\]*]\}/g, '')
  return !/[\\&%$#_{}~^\n\r]/.test(rest)
}

test('escapes names, so that none becomes a command, a column or a comment', () => {
  const texts = fc.oneof(fc.constantFrom(...hostileTexts), fc.string({ unit: 'binary' }))
  fc.assert(fc.property(texts, text => isPlain(texText(text))))
  expect(texText('\\input{x} 5% a_b')).toBe('\\textbackslash{}input\\{x\\} 5\\% a\\_b')
})

test('a model name with line breaks stays within its comment', async () => {
  const run = reportedRun('a\n\\input{x}', { aggregates: [aggregate()] })
  const lines = (await textOf(latexReport([run]))).split('\n')
  expect(lines.filter(line => line.includes('\\input') && !line.startsWith('%'))).toEqual([])
})
