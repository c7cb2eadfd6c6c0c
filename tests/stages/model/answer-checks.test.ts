import { expect, test } from 'vitest'
import { AnswerChecks, checkedModel } from '../../../stages/model/answer-checks.js'
import type { AttemptError, Model, ModelAnswer, ModelRequest } from '../../../stages/model/model.js'
import type { ResponseBody } from '../../../cache/records.js'

const request = (...texts: readonly string[]): ModelRequest => ({
  input: { type: 'generate_until', messages: texts.map(text => ({ role: 'user', content: [{ type: 'text', text }] })) },
  generation: {},
  sample: 0,
})

function checked(answer: Partial<ModelAnswer>, asked = request('hi')) {
  const notes: string[] = []
  const checks = new AnswerChecks({ args: { model: 'm' } }, text => notes.push(text))
  const check = () => checks.check(asked, { body: { text: 'yes', finishReason: 'stop' }, ...answer })
  return { notes, check }
}

const ending = (rawFinishReason?: string): Partial<ModelAnswer> => ({
  body: { text: 'half', finishReason: 'unknown', ...(rawFinishReason !== undefined && { rawFinishReason }) },
})

function failureOf(answer: Partial<ModelAnswer>): AttemptError | undefined {
  try {
    checked(answer).check()
    return undefined
  } catch (error) {
    return error as AttemptError
  }
}

test.each(['abort', 'error', 'load', 'timeout', 'MALFORMED_FUNCTION_CALL', 'OTHER', 'network_error', 'incomplete'])(
  'an answer with the finish reason %s is a failure that is retried',
  reason => {
    const usage = { inputTokens: 5, outputTokens: 7 }
    const failure = failureOf({ ...ending(reason), usage })
    expect(failure).toMatchObject({ class: 'server', isRetryable: true, usage })
    expect(failure!.message).toBe(`the answer was broken off: ${reason}`)
  },
)

test.each(['because', 'unknown'])('an answer with the unknown finish reason %s is not complete', reason => {
  expect(failureOf(ending(reason))).toMatchObject({
    class: 'server',
    isRetryable: true,
    message: 'the answer ended for a reason that is not known here, so it may be incomplete: ' + JSON.stringify(reason),
  })
})

test.each(['content-filter', 'sensitive', 'SAFETY'])('an answer withheld by %s is classed as refused', reason => {
  expect(failureOf(ending(reason))).toMatchObject({ class: 'refused', isRetryable: false })
})

test.each([
  ['eos_token', 'stop'],
  ['COMPLETE', 'stop'],
  ['MAX_TOKENS', 'length'],
  ['tool-calls', 'tool_calls'],
  ['pause_turn', 'unknown'],
  [undefined, 'unknown'],
] as const)('an answer with the finish reason %s counts as %s', (raw, finishReason: ResponseBody['finishReason']) => {
  expect(checked(ending(raw)).check().body).toMatchObject({ text: 'half', finishReason })
})

test.each([1e300, -5, NaN, Infinity])('drops a token count of %d with one note', count => {
  const { check, notes } = checked({ usage: { inputTokens: count, outputTokens: 3 } })
  expect([check().usage, check().usage]).toEqual([{ outputTokens: 3 }, { outputTokens: 3 }])
  expect(notes).toEqual([expect.stringMatching(/^The server reports token counts that cannot be \(inputTokens\)/)])
})

test('stores and notes once that another model than the requested one answered', () => {
  const { check, notes } = checked({ served: 'm-2026' })
  expect([check().served, check().served]).toEqual(['m-2026', 'm-2026'])
  expect(notes).toEqual(['The model m was asked, and the server says that m-2026 answered.'])
  expect(checked({ served: 'm' }).check()).not.toHaveProperty('served')
})

test('stores the model that a server names during an attempt with the answer', async () => {
  const model: Model = {
    answer(_, _signal, watch) {
      watch?.({ type: 'served', model: 'other' })
      watch?.({ type: 'first-token' })
      return Promise.resolve({ body: { text: 'yes', finishReason: 'stop' } })
    },
  }
  const seen: string[] = []
  const checks = new AnswerChecks({ args: { model: 'm' } }, () => undefined)
  const { signal } = new AbortController()
  const answer = await checkedModel(model, checks).answer(request('hi'), signal, ({ type }) => seen.push(type))
  expect([answer.served, seen]).toEqual(['other', ['first-token']])
})

const words = (number: number): string => 'word '.repeat(number)

test.each([
  ['a long text', [words(18_000)]],
  ['messages of which the first are gone', [words(6_000), words(6_000), words(6_000)]],
  ['a text without spaces', ['abcdefgh'.repeat(11_250)]],
  ['a Chinese text', ['这是一个很长的问题'.repeat(10_000)]],
  ['a Hindi text', ['शब्द '.repeat(18_000)]],
])('reports that a server which read 2050 tokens of %s truncated it', (_, texts) => {
  const { check, notes } = checked({ usage: { inputTokens: 2050 } }, request(...texts))
  check()
  check()
  expect(notes).toEqual([expect.stringMatching(/^The server read 2050 tokens of a prompt of 90000 characters, which/)])
})

test.each([
  ['English', 'The quick brown fox jumps over the lazy dog. '.repeat(100), 1_000],
  ['Chinese with few tokens', '这是一个很长的问题'.repeat(1_000), 3_000],
  ['Japanese', 'これは長い質問です。'.repeat(1_000), 3_000],
  ['a rule of dashes', '-'.repeat(90_000), 800],
  ['blanks', ' '.repeat(90_000), 800],
  ['a short prompt', words(100), 20],
  ['base64', 'QUJDRA'.repeat(10_000), 30_000],
])('does not report a truncation of %s', (_, text, inputTokens) => {
  const { check, notes } = checked({ usage: { inputTokens } }, request(text))
  check()
  expect(notes).toEqual([])
})
