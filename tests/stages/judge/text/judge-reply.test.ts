import { describe, expect, test } from 'vitest'
import type { ResponseBody } from '../../../../cache/records.js'
import { readBinaryReply } from '../../../../stages/judge/helpers/judge-replies.js'
import { readJudgeReply } from '../../../../stages/judge/text/judge-reply.js'

const stopped = (text: string, more: Partial<ResponseBody> = {}): ResponseBody => ({
  text,
  finishReason: 'stop',
  ...more,
})

describe("reads the verdict that follows the judge's reasoning", () => {
  test.each([
    ['no', 'no'],
    ['<think>Is it right? yes, it could be.</think>\n\nno', 'no'],
    ['Is it right? yes it could be</think>\n\nno', 'no'],
    ['<analysis>yes</analysis> no <think>or yes?</think>', 'no'],
    ['no: the answer holds <think> without an end', 'no: the answer holds <think> without an end'],
  ])('%j', (text, verdict) => {
    const reply = readJudgeReply(stopped(text))
    expect(reply).toEqual({ type: 'answered', text: verdict })
    expect(readBinaryReply(verdict)).toBe(false)
  })

  test('between tags that only the task defines', () => {
    const reply = stopped('<reason>yes</reason><think>yes</think>no')
    expect(readJudgeReply(reply, { tags: [['<reason>', '</reason>']] })).toEqual({ type: 'answered', text: 'no' })
  })
})

describe('fails a reply without a whole verdict', () => {
  test.each([
    [stopped('<think>Is it right? yes maybe'), 'its reply ends within its reasoning'],
    [stopped('<think>a</think> <analysis>yes'), 'its reply ends within its reasoning'],
    [stopped('<think>yes</think>'), 'its reply is reasoning without a verdict'],
    [stopped('', { reasoning: 'yes' }), 'its reply is reasoning without a verdict'],
    [stopped(' \n'), 'its reply is empty'],
    [stopped('yes, but', { finishReason: 'length' }), 'its reply was cut off at the maximum number of tokens'],
    [stopped('<think>yes', { finishReason: 'length' }), 'its reply was cut off at the maximum number of tokens'],
    [stopped('yes', { finishReason: 'content_filter' }), "its reply was cut off by the provider's content filter"],
  ])('%j', (body, why) => {
    expect(readJudgeReply(body)).toEqual({ type: 'failed', reason: `the judge model: ${why}` })
  })
})

test('with parity, the whole text is the reply, as in lmms-eval', () => {
  const body = stopped('<think>yes', { finishReason: 'length' })
  expect(readJudgeReply(body, { parity: 'lmms-eval' })).toEqual({ type: 'answered', text: '<think>yes' })
})
