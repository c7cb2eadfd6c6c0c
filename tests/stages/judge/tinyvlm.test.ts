import { expect, test } from 'vitest'
import { readFileSync } from 'node:fs'
import { makeScorer } from '../../support/scorer.js'
import { answeredDoc, logprobBody, recordOf } from '../../support/judged.js'

/** A model's real answers to 1,000 questions, 282 of them with options. */
interface Row {
  readonly type: string
  readonly answer: string
  readonly greedy: string
  readonly options: Readonly<Record<string, number>> | null
  readonly mc: {
    readonly answer_letter: string
    readonly greedy: string
    readonly letters: Readonly<Record<string, number>>
  } | null
}

const golden = readFileSync(new URL('../../../examples/tinyvlm/golden/test.jsonl', import.meta.url), 'utf8')
const rows = golden.split('\n').flatMap(line => (line === '' ? [] : [JSON.parse(line) as Row]))
const lettered = rows.flatMap(({ options, mc }) => (options && mc ? [{ options, mc }] : []))

test('real answers have the accuracy that their authors measured, in total and by type', async () => {
  const config = { metric_list: [{ metric: 'exact_match', ignore_case: true }], breakdown: 'type' }
  const scorer = makeScorer({ task: 't', outputType: 'generate_until', config, scorerCode: { files: {} } })
  const scores = await Promise.all(
    rows.map(({ type, answer, greedy }) => scorer.score(answeredDoc(recordOf(answer, { doc: { type } }), [greedy]))),
  )
  const aggregates = scorer.aggregate(scores, { docs: 1000 })
  const found = Object.fromEntries(
    aggregates.map(({ group, value }) => [group?.label ?? 'all', Number(value!.toFixed(3))]),
  )
  expect(found).toEqual({
    all: 0.905,
    caption: 0.75,
    color: 1,
    count: 0.9,
    exist: 0.99,
    pair_more: 0.98,
    pair_same: 0.9,
    pair_which: 1,
    position: 0.822,
    relation: 0.475,
    shape: 1,
    size: 1,
    text: 0.973,
  })
  expect(aggregates[0]!.interval!.map(end => end.toFixed(3))).toEqual(['0.885', '0.922'])
})

test('the most likely options and the generated letters equal the reference', async () => {
  const likely = makeScorer({ task: 't', outputType: 'multiple_choice', config: {}, scorerCode: { files: {} } })
  const bodies = await Promise.all(
    lettered.map(({ options, mc }) => {
      const letters = Object.keys(options)
      const record = recordOf(letters.indexOf(mc.answer_letter), { choices: letters })
      return likely.score(
        answeredDoc(
          record,
          Object.values(options).map(logprob => logprobBody(logprob)),
        ),
      )
    }),
  )
  expect(likely.aggregate(bodies, { docs: 282 })[0]).toMatchObject({ metric: 'acc', value: 279 / 282, n: 282 })
  const config = { metric_list: [{ metric: 'option_letter', options: 4 }] }
  const letter = makeScorer({ task: 't', outputType: 'generate_until', config, scorerCode: { files: {} } })
  const read = await Promise.all(
    lettered.map(({ mc }) => letter.score(answeredDoc(recordOf(mc.answer_letter), [mc.greedy]))),
  )
  expect(letter.aggregate(read, { docs: 282 })[0]).toMatchObject({ value: 74 / 282, unparsed: 0 })
})
