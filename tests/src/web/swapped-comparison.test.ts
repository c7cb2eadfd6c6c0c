import { expect, test } from 'vitest'
import { without } from '../../../base/values/without.js'
import { swappedComparison } from '../../../src/web/data/swapped-comparison.js'
import { compareView } from '../../../src/present/page/compare-view.js'
import { temporaryStore } from '../../support/store.js'
import { viewedRun, type ViewedDoc } from '../../support/viewed-run.js'

const docs = (values: readonly number[]): readonly ViewedDoc[] =>
  values.map((value, index) => ({
    answer: `answer ${value}`,
    prompt: `question ${index}${value === 1 ? '' : ' again'}`,
    score: { values: { exact_match: value }, groups: { kind: index % 2 === 0 ? 'even' : 'odd' } },
  }))

test('a swapped comparison equals the comparison of the swapped runs', async () => {
  const store = await temporaryStore()
  const a = await viewedRun(store, docs([1, 0, 0, 1, 0, 0, 0]))
  const b = await viewedRun(store, docs([0, 1, 1, 1, 0, 1, 0]), {
    extra: { model: { backend: 'dummy', args: { other: 1 } } },
  })
  const swapped = swappedComparison(await compareView(store, a, b))
  const expected = await compareView(store, b, a)
  expect(swapped.settings).toEqual(expected.settings)
  expect(swapped.prompt).toEqual(expected.prompt)
  expect(swapped.a.name).toBe(b.run.name)
  expect(swapped.metrics.map(metric => without(metric, 'flips'))).toEqual(
    expected.metrics.map(({ interval, difference, ...metric }) => ({
      ...without(metric, 'flips'),
      difference: expect.closeTo(difference, 9) as unknown,
      interval: interval?.map(end => expect.closeTo(end, 9) as unknown) ?? null,
    })),
  )
  expect(swapped.metrics[0]?.flips).toEqual(expect.arrayContaining([...(expected.metrics[0]?.flips ?? [])]))
})
