import { join } from 'node:path'
import { expect, test } from 'vitest'
import { isWellFormed } from '../../../../base/text/visible-text.js'
import { without } from '../../../../base/values/without.js'
import type { Sample } from '../../../../cache/store.js'
import { longestText } from '../../../../src/present/files/doc-texts.js'
import { junitReport } from '../../../../src/present/files/junit.js'
import { root } from '../../../support/cli.js'
import { aggregate } from '../../../support/report-data.js'
import { reportedRun, scoredSample, textOf } from '../../../support/reported-runs.js'

const golden = join(root, 'tests/golden/reports/outcomes.xml')

const unanswered: Sample['items'] = [{ choice: 0, sample: 0 }]

const failedItems: Sample['items'] = [
  { choice: 0, sample: 0, failure: { class: 'rate_limited', message: 'gave up "at last" <429>', attempts: 6 } },
]

const unscored = (sample: Sample): Sample => without(sample, 'score')

test('each doc is a test case with its outcome', async () => {
  const samples = [
    scoredSample(0, 1, { text: 'red' }),
    scoredSample(1, 0),
    scoredSample(2, 0, { text: '', scoring: { outcome: 'unparsed', extracted: { none: null } } }),
    unscored(scoredSample(3, 0, { items: failedItems })),
    scoredSample(4, 0, { scoring: { outcome: 'judge_failed', values: {}, reason: 'no judge model is named' } }),
    scoredSample(5, 0, { scoring: { outcome: 'error', values: {}, reason: 'it threw' } }),
    unscored(scoredSample(6, 0, { items: unanswered })),
    unscored(scoredSample(7, 0)),
    scoredSample(0, 0.5, { task: 2, id: 'a & b' }),
  ]
  const run = reportedRun('brave-otter-7f3a', {
    aggregates: [aggregate()],
    samples,
    tasks: ['shapes_vqa', 'empty_task', 'other'],
  })
  const text = await textOf(junitReport(run))
  await expect(text).toMatchFileSnapshot(golden)
  expect(text).toContain('<testsuites name="brave-otter-7f3a@1" tests="9" failures="3" errors="3" skipped="2"')
  expect(text).toContain('<testsuite name="empty_task" tests="0" failures="0" errors="0" skipped="0" time="0.000">')
})

test('a doc fails above 0 if a lower score is better', async () => {
  const aggregates = [aggregate({ higherIsBetter: false })]
  const run = reportedRun('low', { aggregates, samples: [scoredSample(0, 0), scoredSample(1, 0.2)] })
  expect((await textOf(junitReport(run))).match(/<failure[^>]*>/g)).toEqual([
    '<failure message="exact_match 0.2" type="wrong"/>',
  ])
})

test('shortens long texts and states their full length', async () => {
  const run = reportedRun('long', { aggregates: [], samples: [scoredSample(0, 1, { text: '🎈'.repeat(longestText) })] })
  const text = await textOf(junitReport(run))
  expect(text).toContain(`answer: ${'🎈'.repeat(longestText / 2)} … (4,000 characters in all)`)
  const odd = reportedRun('odd', {
    aggregates: [],
    samples: [scoredSample(0, 1, { text: `a${'🎈'.repeat(longestText)}` })],
  })
  expect(isWellFormed(await textOf(junitReport(odd)))).toBe(true)
})

test('reads docs one at a time', async () => {
  const docs = 5_000
  let [read, written, ahead] = [0, 0, 0]
  const run = reportedRun('many', { aggregates: [] })
  async function* samples(): AsyncGenerator<Sample> {
    for (let index = 0; index < docs; index++) {
      read += 1
      yield await Promise.resolve(scoredSample(index, 1))
    }
  }
  const store = { ...run.store, judgements: { ...run.store.judgements, samples } }
  for await (const part of junitReport({ ...run, store })) {
    if (!part.includes('<testcase')) continue
    written += 1
    // The first pass only counts and has ended.
    ahead = Math.max(ahead, read - docs - written)
  }
  expect({ read, written, ahead }).toEqual({ read: 2 * docs, written: docs, ahead: 0 })
})
