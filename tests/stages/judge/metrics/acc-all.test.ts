import { expect, test } from 'vitest'
import type { Json } from '../../../../base/values/canonical-json.js'
import type { JsonObject } from '../../../../cache/records.js'
import { answeredDoc, recordOf, textBody } from '../../../support/judged.js'
import { makeScorer } from '../../../support/scorer.js'

interface Doc {
  readonly doc: JsonObject
  readonly answer: string
}

const docOf = (question: number, label: number, answer: string): Doc => ({
  doc: { idx: { paragraph: 0, question, answer: 0 }, label },
  answer,
})

/** Question 0 is answered right twice, question 1 once of twice, question 2 not at all. */
const docs = [docOf(0, 1, 'yes'), docOf(1, 1, 'yes'), docOf(0, 0, 'no'), docOf(1, 0, 'yes'), docOf(2, 1, 'no')]

async function aggregate(config: JsonObject, processed?: (doc: JsonObject, answer: string) => Json) {
  const scorer = makeScorer({
    task: 't',
    outputType: 'generate_until',
    config,
    scorerCode: { files: {} },
    ...(processed && { processResults: (doc: JsonObject, [answer]) => ({ right: processed(doc, answer as string) }) }),
  })
  const bodies = await Promise.all(
    docs.map(({ doc, answer }) =>
      scorer.score(answeredDoc(recordOf(doc['label'] === 1 ? 'yes' : 'no', { doc }), [textBody(answer)])),
    ),
  )
  return scorer.aggregate(bodies, { docs: bodies.length })[0]
}

test('a question counts if all of its docs are right', async () => {
  expect(await aggregate({ metric_list: [{ metric: 'acc_all' }] })).toMatchObject({ value: 1 / 3, n: 5 })
})

test('groups docs of one question by the fields that the task names', async () => {
  const byLabel = await aggregate({ metric_list: [{ metric: 'acc_all', question: 'label' }] })
  expect(byLabel?.value).toBe(0)
})

test('a doc without such a field is an error that names the field', async () => {
  const value = await aggregate({ metric_list: [{ metric: 'acc_all', question: ['idx.passage'] }] })
  expect(value).toMatchObject({ value: null, n: 0 })
})

test('the aggregation takes predictions with their docs, as other task files return them', async () => {
  const config = { metric_list: [{ metric: 'right', aggregation: 'acc_all' }] }
  const value = await aggregate(config, (doc, answer) => [answer === 'yes', doc])
  expect(value?.value).toBe(1 / 3)
})

test('mean_last30 ignores docs before the last thirty', async () => {
  const scorer = makeScorer({
    task: 't',
    outputType: 'generate_until',
    config: { metric_list: [{ metric: 'exact_match', aggregation: 'mean_last30' }] },
    scorerCode: { files: {} },
  })
  const bodies = await Promise.all(
    Array.from({ length: 40 }, (_, i) =>
      scorer.score(answeredDoc(recordOf('a'), [textBody(i < 10 || i % 2 ? 'a' : 'b')])),
    ),
  )
  const [last] = scorer.aggregate(bodies, { docs: 40 })
  expect(last).toMatchObject({ value: 0.5, n: 40 })
})
