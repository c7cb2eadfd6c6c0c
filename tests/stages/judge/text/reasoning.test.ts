import { describe, expect, test } from 'vitest'
import type { ResponseBody } from '../../../../cache/records.js'
import {
  defaultReasoningTags,
  reasoningLength,
  spokenText,
  stripAsLmmsEval,
} from '../../../../stages/judge/text/reasoning.js'
import { makeScorer } from '../../../support/scorer.js'
import { answeredDoc, recordOf } from '../../../support/judged.js'

const stopped = (text: string, reasoning?: string): ResponseBody => ({
  text,
  finishReason: 'stop',
  ...(reasoning === undefined ? {} : { reasoning }),
})
const cut = (text: string, reasoning?: string): ResponseBody => ({
  ...stopped(text, reasoning),
  finishReason: 'length',
})

describe('the answer after its reasoning', () => {
  test.each([
    [stopped('<think>is it A?</think>\nB'), 'B', 24],
    [stopped('<think>a</think><analysis>b</analysis> B <think>c</think>'), 'B', 56],
    [stopped('so it is A</think> B'), 'B', 19],
    [stopped('<thinking>A?</thinking>B'), 'B', 23],
    [stopped('<reasoning>A?</reasoning>\nB'), 'B', 26],
    [stopped('<seed:think>A?</seed:think>B'), 'B', 27],
    [stopped('[THINK]A?[/THINK]B'), 'B', 17],
    [stopped('◁think▷A?◁/think▷B'), 'B', 17],
    [stopped('<|channel|>analysis<|message|>A?<|end|><|start|>assistant<|channel|>final<|message|>B'), 'B', 84],
    [stopped('<think>is it A?'), '<think>is it A?', 0],
    [cut('<think>is it A?'), '', 15],
    [cut('<think>a</think> B <analysis>perhaps'), 'B ', 35],
    [cut('B, sin'), 'B, sin', 0],
    [stopped('B', 'ä😀'), 'B', 2],
    [cut('', 'thought'), '', 7],
  ])('%j', (body, said, length) => {
    expect(spokenText(body, defaultReasoningTags)).toBe(said)
    expect(reasoningLength(body, defaultReasoningTags)).toBe(length)
  })
})

test('with the parity of lmms-eval, only its own tags are removed, unless others are set', () => {
  expect(stripAsLmmsEval('<think>A</think> [THINK]A[/THINK] B', defaultReasoningTags)).toBe('[THINK]A[/THINK] B')
  expect(stripAsLmmsEval('[THINK]A[/THINK] B', [['[THINK]', '[/THINK]']])).toBe('B')
})

describe('the end of an answer', () => {
  const score = (body: ResponseBody, parity?: 'lmms-eval') => {
    const doc = answeredDoc(recordOf('A'), [''])
    const answers = doc.answers.map(answer => ({ ...answer, body }))
    return makeScorer({
      task: 't',
      outputType: 'generate_until',
      config: { metric_list: [{ metric: 'contains' }] },
      scorerCode: { files: {} },
      ...(parity && { parity }),
    }).score({ ...doc, answers })
  }

  test('keeps an unknown finish reason', async () => {
    expect(await score({ text: 'A', finishReason: 'unknown', rawFinishReason: 'bored' })).toMatchObject({
      values: { contains: 1 },
      ending: 'bored',
    })
    expect(await score(stopped('A'))).not.toHaveProperty('ending', expect.anything())
  })

  test('within reasoning that begins it, without a reason to stop: it is empty', async () => {
    const ended = (text: string): ResponseBody => ({ text, finishReason: 'unknown' })
    expect(await score(ended('<think>it may be A'))).toMatchObject({ values: { contains: 0 }, empty: true })
    expect(await score(ended('A has no <think> tag'))).toMatchObject({ values: { contains: 1 } })
  })

  test('within the reasoning leaves the answer empty and marked as cut off', async () => {
    expect(await score(cut('<think>it may be A'))).toMatchObject({
      values: { contains: 0 },
      empty: true,
      cut: true,
      reasoning: 18,
    })
    expect(await score(cut('', 'it may be A'))).toMatchObject({
      values: { contains: 0 },
      empty: true,
      cut: true,
      reasoning: 11,
    })
  })

  test('within the reasoning does not matter with the parity of lmms-eval', async () => {
    expect(await score(cut('<think>it may be A'), 'lmms-eval')).toMatchObject({ values: { contains: 1 } })
  })

  test('that is regular is not marked', async () => {
    const whole = await score(stopped('A'))
    expect(whole.cut).toBeUndefined()
    expect(whole.reasoning).toBeUndefined()
  })
})
