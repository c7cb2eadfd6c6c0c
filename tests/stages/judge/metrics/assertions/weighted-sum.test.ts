import { expect, test } from 'vitest'
import type { JsonObject } from '../../../../../cache/records.js'
import { answeredDoc, recordOf } from '../../../../support/judged.js'
import { makeScorer } from '../../../../support/scorer.js'

const makeSum = (weights: JsonObject, before: readonly JsonObject[], further: JsonObject = {}) =>
  makeScorer({
    task: 't',
    outputType: 'generate_until',
    config: { metric_list: [...before, { metric: 'weighted_sum', name: 'total', weights }], ...further },
    scorerCode: { files: {} },
  })

const short = { metric: 'length', name: 'short', max: 5 }

test('adds values of preceding metrics by their weights', async () => {
  const scorer = makeSum({ exact_match: 0.75, short: 0.25, refusal: -1 }, [
    { metric: 'exact_match' },
    short,
    { metric: 'refusal' },
  ])
  const score = await scorer.score(answeredDoc(recordOf('red'), ['red']))
  expect(score.values).toMatchObject({ exact_match: 1, short: 1, total: 1 })
  const long = await scorer.score(answeredDoc(recordOf('scarlet'), ['scarlet']))
  expect(long.values).toMatchObject({ total: 0.75 })
  const refused = await scorer.score(answeredDoc(recordOf('red'), ["I'm sorry"]))
  expect(refused.values).toMatchObject({ total: -1 })
  expect(scorer.columns.find(({ name }) => name === 'total')?.range).toEqual([-1, 1])
})

test('adds values once for each filter pipeline', async () => {
  const scorer = makeSum({ exact_match: 2 }, [{ metric: 'exact_match' }], {
    filter_list: [
      { name: 'whole', filter: [{ function: 'take_first' }] },
      { name: 'last', filter: [{ function: 'regex', regex_pattern: '(\\w+)$' }, { function: 'take_first' }] },
    ],
  })
  const { values } = await scorer.score(answeredDoc(recordOf('red'), ['It is red']))
  expect(values).toMatchObject({ 'total,whole': 0, 'total,last': 2 })
})

test('the sum is unparsed if one metric cannot read the answer', async () => {
  const scorer = makeSum({ numeric_match: 1, short: 1 }, [{ metric: 'numeric_match' }, short])
  const score = await scorer.score(answeredDoc(recordOf('7'), ['many of them']))
  expect(score).toMatchObject({ outcome: 'unparsed', values: { total: 0 }, reason: 'the answer holds no number' })
  expect(score.unparsed).toEqual(['numeric_match', 'total'])
})

test('rejects a metric that comes later or does not exist before any work', () => {
  expect(() => makeSum({ sort: 1 }, [short])).toThrow(
    'metric_list[1]: weighted_sum comes after the metrics that it reads: no metric "sort". Did you mean "short"?',
  )
  expect(() => makeSum({ total: 1 }, [])).toThrow('no metric "total"')
})
