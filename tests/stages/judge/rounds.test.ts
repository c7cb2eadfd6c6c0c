import { expect, test } from 'vitest'
import type { ResponseBody } from '../../../cache/records.js'
import type { ScoringSpec } from '../../../stages/judge/compile/scoring-spec.js'
import { answeredDoc, recordOf } from '../../support/judged.js'
import { makeScorer } from '../../support/scorer.js'

const body: ResponseBody = {
  text: '<think>so</think> c ',
  finishReason: 'stop',
  outputs: [' a', '<think>hm</think>b', '<think>so</think> c '],
  transcript: [{ role: 'assistant', content: [{ type: 'text', text: 'a' }] }],
}

async function given(outputType: string) {
  const seen: unknown[] = []
  const spec: ScoringSpec = {
    task: 't',
    outputType,
    config: { metric_list: [{ metric: 'mine' }] },
    scorerCode: { files: {} },
    processResults: (_doc, results, { bodies }) => {
      seen.push(results, bodies)
      return { mine: 1 }
    },
  }
  const score = await makeScorer(spec).score(answeredDoc(recordOf('c'), [body, body]))
  expect(score).toMatchObject({ outcome: 'scored', extracted: { none: 'c' } })
  return seen
}

test('a multi-round task gets all answers without reasoning', async () => {
  expect(await given('generate_until_multi_round')).toEqual([[['a', 'b', 'c']], [body, body]])
})

test('an agentic task gets the last answer', async () => {
  expect(await given('generate_until_agentic')).toEqual([['c'], [body, body]])
})
