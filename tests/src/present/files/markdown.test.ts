import fc from 'fast-check'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { escapeMarkdown, markdownReport } from '../../../../src/present/files/markdown.js'
import { root } from '../../../support/cli.js'
import { aggregate } from '../../../support/report-data.js'
import { hostileTexts, reportedRun, scoredSample, textOf } from '../../../support/reported-runs.js'

const golden = (name: string): string => join(root, 'tests/golden/reports', name)

test('shows one run like the terminal, with its notes', async () => {
  const run = reportedRun('brave-otter-7f3a', {
    aggregates: [
      aggregate({ n: 996, empty: 19, bounds: [0.9, 0.91] }),
      aggregate({ group: { field: 'type', label: 'a|b <i>' }, value: 1, interval: [0.966, 1], n: 110, total: 110 }),
      aggregate({ task: 'all', of: ['shapes_vqa'], metric: 'acc', value: null, interval: null }),
    ],
  })
  await expect(await textOf(markdownReport([run]))).toMatchFileSnapshot(golden('one-run.md'))
})

test('several runs are columns, and a score is bold only if the difference is significant', async () => {
  const scored = (name: string, right: number) =>
    reportedRun(name, {
      aggregates: [aggregate({ value: right / 40, interval: [right / 40 - 0.1, right / 40 + 0.08] })],
      samples: Array.from({ length: 40 }, (_, index) => scoredSample(index, +(index < right))),
    })
  const low = scored('low', 10)
  const high = scored('high', 30)
  const near = scored('near', 29)
  const other = reportedRun('other', {
    aggregates: [aggregate({ task: 'mmmu_val', n: 4, total: 5 })],
    tasks: ['mmmu_val'],
  })
  await expect(await textOf(markdownReport([low, high, other]))).toMatchFileSnapshot(golden('several-runs.md'))
  expect(await textOf(markdownReport([low, high, near]))).not.toContain('**0.')
  expect(await textOf(markdownReport([high, high]))).not.toContain('**0.')
})

test('the lower score is bold if lower is better', async () => {
  const scored = (name: string, value: number) =>
    reportedRun(name, {
      aggregates: [aggregate({ value, higherIsBetter: false })],
      samples: Array.from({ length: 40 }, (_, index) => scoredSample(index, value + (index % 3) / 100)),
    })
  const text = await textOf(markdownReport([scored('many', 0.8), scored('few', 0.2)]))
  expect(text).toContain('**0.200**')
  expect(text).not.toContain('**0.800**')
})

/** What GitHub shows of an escaped text. */
const rendered = (text: string): string =>
  text
    .replace(/\\([!-/:-@[-`{-~])/g, '$1')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')

test('escapes names, so that none breaks its cell or becomes markup', () => {
  const texts = fc.oneof(fc.constantFrom(...hostileTexts), fc.string({ unit: 'binary' }))
  fc.assert(
    fc.property(texts, text => {
      const shown = escapeMarkdown(text)
      expect(shown).not.toMatch(/[\n\r<>\p{Bidi_Control}\p{Zl}\p{Zp}\p{Cs}]/u)
      expect(shown.replace(/\\./gu, '')).not.toMatch(/[\\`*[\]~|$]/u)
      expect(escapeMarkdown(rendered(shown))).toBe(shown)
    }),
  )
})

test('an underscore within a name stays readable', () => {
  expect(escapeMarkdown('exact_match,_x_')).toBe('exact_match,\\_x\\_')
})
