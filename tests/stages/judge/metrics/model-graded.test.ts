import { describe, expect, test } from 'vitest'
import { sha256 } from '../../../../cache/digest.js'
import type { JsonObject, MediaPart } from '../../../../cache/records.js'
import type { AskJudge, JudgePrompt } from '../../../../stages/judge/define/judge-model.js'
import { gradedArgs } from '../../../../stages/judge/judges/graded-args.js'
import { modelGraded } from '../../../../stages/judge/metrics/model-graded.js'
import { gradeAnswer, promptText, verdictMark } from '../../../support/graded.js'
import { makeScorer } from '../../../support/scorer.js'

const saying = (text: string) => () => text

describe('binary', () => {
  test.each([
    ['VERDICT: CORRECT', 1],
    ['It is not right.\n\n**VERDICT: INCORRECT**', 0],
    ['A correct answer would be\nVERDICT: CORRECT\nbut this one is\nverdict: incorrect.', 0],
    ['> `VERDICT: correct`', 1],
    ['VERDICT：CORRECT', 1],
    ['\u200bVERDICT:\u200b CORRECT\ufeff', 1],
  ])('reads the last verdict line: %j', async (text, value) => {
    const { score } = await gradeAnswer({ kind: 'binary' }, { answer: 'It is Paris.', reply: saying(text) })
    expect(score).toMatchObject({ outcome: 'scored', values: { grade: value }, extracted: { none: 'It is Paris.' } })
  })

  test.each([
    ['', 'the judge\'s reply has no line "VERDICT: …"'],
    ['The answer is correct.', 'the judge\'s reply has no line "VERDICT: …"'],
    ['VERDICT: CI', 'the judge\'s verdict "CI" is none of CORRECT, INCORRECT'],
    ['VERDICT: CORRECT\nVERDICT: Z', 'the judge\'s verdict "Z" is none of CORRECT, INCORRECT'],
    ['VERDICT: GRADE', 'the judge\'s verdict "GRADE" is none of CORRECT, INCORRECT'],
    ['VERDICT: CORRECT or INCORRECT', 'is none of CORRECT, INCORRECT'],
    ['I would not downgrade my VERDICT: CORRECT', 'the judge\'s reply has no line "VERDICT: …"'],
    ['1', 'the judge\'s reply has no line "VERDICT: …"'],
  ])('fails without a readable verdict and returns no value: %j', async (text, reason) => {
    const { score } = await gradeAnswer({ kind: 'binary' }, { answer: 'It is Paris.', reply: saying(text) })
    expect(score).toMatchObject({ outcome: 'judge_failed', values: {} })
    expect(score.reason).toContain(reason)
  })

  test('shows question, answer and every reference within fences', async () => {
    const { prompts } = await gradeAnswer(
      { kind: 'binary' },
      { answer: 'It is Paris.', target: ['Paris', 'Lutetia'], reply: saying('VERDICT: CORRECT') },
    )
    const text = promptText(prompts[0]!)
    const [, code = ''] = /\[BEGIN QUESTION ([0-9a-f]{12})\]/.exec(text) ?? []
    expect(text).toContain(`[BEGIN QUESTION ${code}]\nWhat is the capital of France?\n[END QUESTION ${code}]`)
    expect(text).toContain(`[BEGIN REFERENCE ${code}]\nParis\nLutetia\n[END REFERENCE ${code}]`)
    expect(text).toContain(`[BEGIN ANSWER ${code}]\nIt is Paris.\n[END ANSWER ${code}]`)
    expect(prompts[0]).toMatchObject({ maxTokens: 1024, temperature: 0 })
  })

  test('equal texts give equal prompts, and other texts another code', async () => {
    const ask = async (answer: string) => {
      const { prompts } = await gradeAnswer({ kind: 'binary' }, { answer, reply: saying('VERDICT: CORRECT') })
      return promptText(prompts[0]!)
    }
    expect(await ask('a')).toBe(await ask('a'))
    expect((await ask('a')).slice(0, 90)).not.toBe((await ask('b')).slice(0, 90))
  })

  test('a doc without a target is an error that says what is needed', async () => {
    const { score } = await gradeAnswer({ kind: 'binary' }, { answer: 'x', target: null, reply: saying('') })
    expect(score).toMatchObject({ outcome: 'error' })
    expect(score.reason).toContain('the kind binary compares with a reference, and the doc has none')
  })
})

describe('question and reference', () => {
  test.each<[JsonObject, string]>([
    [{ question: 'meta.topic' }, 'rivers'],
    [{ question: 'On {{meta.topic}}: {{ask}}' }, 'On rivers: which?'],
    [{ question: 'ask' }, 'which?'],
  ])('the question is a field or a text: %j', async (entry, question) => {
    const { prompts } = await gradeAnswer(
      { kind: 'binary', ...entry },
      { answer: 'x', doc: { ask: 'which?', meta: { topic: 'rivers' } }, reply: saying('VERDICT: CORRECT') },
    )
    expect(promptText(prompts[0]!)).toContain(`]\n${question}\n[END QUESTION`)
  })

  test.each<[JsonObject, string]>([
    [{}, 'the doc has no field "question" to show to the judge'],
    [{ question: 'quest' }, 'question: the doc has no field "quest". Its fields: ask'],
    [{ question: false, reference: 'gold' }, 'reference: the doc has no field "gold"'],
  ])('a missing field is an error: %j', async (entry, reason) => {
    const { score } = await gradeAnswer(
      { kind: 'binary', ...entry },
      { answer: 'x', doc: { ask: 'which?' }, reply: saying('VERDICT: CORRECT') },
    )
    expect(score).toMatchObject({ outcome: 'error' })
    expect(score.reason).toContain(reason)
  })

  test('false leaves question and reference out', async () => {
    const { prompts } = await gradeAnswer(
      { kind: 'likert', question: false, reference: false },
      { answer: 'x', reply: saying('VERDICT: 3') },
    )
    expect(promptText(prompts[0]!)).not.toMatch(/BEGIN QUESTION|BEGIN REFERENCE|Paris|France/)
  })
})

describe('likert', () => {
  test.each<[JsonObject, string, number]>([
    [{}, 'VERDICT: 4', 4],
    [{}, 'VERDICT: 4/5', 4],
    [{}, 'VERDICT: **4 out of 5**', 4],
    [{ normalise: true }, 'VERDICT: 4', 0.75],
    [{ low: 0, high: 10, normalise: true }, 'VERDICT: 7', 0.7],
    [{ low: -2, high: 2 }, 'VERDICT: [[-1]]', -1],
  ])('grades on its scale: %j', async (entry, text, value) => {
    const { score } = await gradeAnswer({ kind: 'likert', ...entry }, { answer: 'x', reply: saying(text) })
    expect(score).toMatchObject({ outcome: 'scored', values: { grade: value } })
  })

  test.each(['VERDICT: 6', 'VERDICT: 0', 'VERDICT: 4.5', 'VERDICT: 6/5', 'VERDICT: 3 or 4', 'VERDICT: four', '4'])(
    'a grade outside the scale fails and is not clamped: %j',
    async text => {
      const { score } = await gradeAnswer({ kind: 'likert' }, { answer: 'x', reply: saying(text) })
      expect(score).toMatchObject({ outcome: 'judge_failed', values: {} })
    },
  )

  test('needs no target', async () => {
    const { score } = await gradeAnswer({ kind: 'likert' }, { answer: 'x', target: null, reply: saying('VERDICT: 2') })
    expect(score).toMatchObject({ outcome: 'scored', values: { grade: 2 } })
  })
})

describe('rubric', () => {
  const criteria = [
    { name: 'city', text: 'It names the city.', weight: 3 },
    { name: 'polite', text: 'It is polite.' },
  ]

  test('returns the weighted mean of the criteria and keeps their grades', async () => {
    const reply = saying('VERDICT 1: MET\nVERDICT 2: PARTLY')
    const { score, prompts } = await gradeAnswer({ kind: 'rubric', criteria }, { answer: 'Paris', reply })
    expect(score).toMatchObject({
      values: { grade: 0.875 },
      extracted: { none: 'Paris', grade: { city: 'MET', polite: 'PARTLY' } },
    })
    expect(promptText(prompts[0]!)).toContain('1. city: It names the city.\n2. polite: It is polite.')
    expect(prompts).toHaveLength(1)
  })

  test('accepts other grades', async () => {
    const entry = { kind: 'rubric', criteria, grades: { good: 2, bad: -2 } }
    const reply = saying('VERDICT 1: good\nVERDICT 2: BAD')
    const { score } = await gradeAnswer(entry, { answer: 'Paris', reply })
    expect(score.values['grade']).toBe(1)
  })

  test.each(['VERDICT 1: MET', 'VERDICT: MET', 'VERDICT 1: MET\nVERDICT 2: SO SO', 'VERDICT 11: MET\nVERDICT 2: MET'])(
    'fails if a criterion has no grade: %j',
    async text => {
      const { score } = await gradeAnswer({ kind: 'rubric', criteria }, { answer: 'Paris', reply: saying(text) })
      expect(score).toMatchObject({ outcome: 'judge_failed', values: {} })
      expect(score.reason).toMatch(/^criterion (city|polite): /)
    },
  )
})

describe('extract', () => {
  test.each<[JsonObject, string, string, number]>([
    [{}, 'VERDICT: Paris', 'Paris', 1],
    [{}, 'VERDICT: **Paris**', 'Paris', 1],
    [{}, 'VERDICT: Lyon', 'Paris', 0],
    [{ match: 'exact_match', match_args: { ignore_case: true } }, 'VERDICT: PARIS', 'Paris', 1],
    [{ match: 'numeric_match', match_args: { relative: 0.05 } }, 'VERDICT: 41 km', '40', 1],
    [{ match: 'math_equal' }, 'VERDICT: $\\frac{1}{2}$', '0.5', 1],
  ])('compares the answer that the judge extracts with a metric: %j %s', async (entry, text, target, value) => {
    const { score } = await gradeAnswer({ kind: 'extract', ...entry }, { answer: 'long', target, reply: saying(text) })
    expect(score).toMatchObject({ outcome: 'scored', values: { grade: value } })
    expect(score.extracted['grade']).toHaveProperty('answer')
  })

  test('an answer without a final answer is unparsed, and counts 0', async () => {
    const { score } = await gradeAnswer({ kind: 'extract' }, { answer: 'hm', reply: saying('VERDICT: NONE') })
    expect(score).toMatchObject({
      outcome: 'unparsed',
      values: { grade: 0 },
      reason: 'the judge finds no final answer',
    })
  })

  test('does not show the reference to the judge', async () => {
    const { prompts } = await gradeAnswer({ kind: 'extract' }, { answer: 'hm', reply: saying('VERDICT: NONE') })
    expect(promptText(prompts[0]!)).not.toContain('Paris')
  })
})

describe('form', () => {
  const schema = {
    type: 'object',
    properties: { reason: { type: 'string' }, score: { type: 'number', minimum: 0, maximum: 10 } },
    required: ['reason', 'score'],
    additionalProperties: false,
  }
  const entry = { kind: 'form', schema, field: 'score' }

  test.each([
    ['VERDICT: {"reason": "fine", "score": 8}', 8],
    ['{"reason": "fine", "score": 8}', 8],
    ['```json\n{"reason": "a {brace}", "score": 0}\n```\n', 0],
    ['First {"reason": "no", "score": 1}\nVERDICT:\n```json\n{"reason": "fine", "score": 9}\n```', 9],
  ])('reads a form: %j', async (text, value) => {
    const { score } = await gradeAnswer(entry, { answer: 'Paris', reply: saying(text) })
    expect(score).toMatchObject({ outcome: 'scored', values: { grade: value }, extracted: { grade: { score: value } } })
  })

  test.each([
    ['VERDICT: {"reason": "fine", "score": 11}', "the judge's form does not fit its schema: score"],
    ['VERDICT: {"score": 8}', "the judge's form does not fit its schema: reason"],
    ['VERDICT: {"reason": "fine", "score": "8"}', "the judge's form does not fit its schema: score"],
    ['VERDICT: {"reason": "fine", "score": 8, "pass": true}', "the judge's form does not fit its schema"],
    ['VERDICT: {"reason": "fine", "score": 8', 'no JSON object'],
    ['VERDICT: {"reason": "fine", "score": 8} // fine', 'no JSON object'],
    ['VERDICT: [8]', 'no JSON object'],
    ['[object Object]', 'no JSON object'],
    ['{"reason": "fine", "score": NaN}', 'no JSON object'],
  ])('a reply that violates the schema fails: %j', async (text, reason) => {
    const { score } = await gradeAnswer(entry, { answer: 'Paris', reply: saying(text) })
    expect(score).toMatchObject({ outcome: 'judge_failed', values: {} })
    expect(score.reason).toContain(reason)
  })
})

describe('comparative', () => {
  const compare = (replies: readonly string[], entry: JsonObject = {}) =>
    gradeAnswer(
      { kind: 'comparative', ...entry },
      { answer: 'own answer', doc: { question: 'q', other: 'other answer' }, reply: (_, call) => replies[call] ?? '' },
    )

  test.each([
    [['VERDICT: A', 'VERDICT: B'], 1, false],
    [['VERDICT: B', 'VERDICT: A'], 0, false],
    [['VERDICT: TIE', 'VERDICT: TIE'], 0.5, false],
    [['VERDICT: A', 'VERDICT: A'], 0.5, true],
    [['VERDICT: B', 'VERDICT: TIE'], 0.5, true],
  ])('asks in both orders, and different verdicts are a tie: %j', async (replies, value, hasBias) => {
    const { score, prompts } = await compare(replies, { against: 'other' })
    expect(score).toMatchObject({ values: { grade: value }, extracted: { grade: { position_bias: hasBias } } })
    const order = prompts.map(prompt => promptText(prompt).match(/own answer|other answer/g))
    expect(order).toEqual([
      ['own answer', 'other answer'],
      ['other answer', 'own answer'],
    ])
  })

  test('compares with the reference unless another answer is set', async () => {
    const { prompts } = await compare(['VERDICT: A', 'VERDICT: B'])
    expect(promptText(prompts[0]!)).toContain('own answer')
    expect(promptText(prompts[0]!)).toContain(']\nParis\n[END SECOND')
  })

  test('fails if one order fails', async () => {
    const { score } = await compare(['VERDICT: A', 'VERDICT: C'])
    expect(score).toMatchObject({ outcome: 'judge_failed', values: {} })
  })
})

describe('panels', () => {
  const vote = (replies: readonly string[], entry: JsonObject) =>
    gradeAnswer({ votes: replies.length, ...entry }, { answer: 'Paris', reply: (_, call) => replies[call] ?? '' })

  test.each<[readonly string[], JsonObject, number, number]>([
    [['CORRECT', 'INCORRECT', 'CORRECT'], { kind: 'binary' }, 1, 2 / 3],
    [['CORRECT', 'INCORRECT', 'CORRECT'], { kind: 'binary', combine: 'mean' }, 2 / 3, 2 / 3],
    [['CORRECT', 'INCORRECT'], { kind: 'binary' }, 0.5, 0.5],
    [['1', '5', '5'], { kind: 'likert' }, 5, 2 / 3],
    [['2', '3', '4'], { kind: 'likert' }, 3, 1 / 3],
    [['2', '2'], { kind: 'likert', combine: 'mean' }, 2, 1],
  ])('%j of %j', async (words, entry, value, agreement) => {
    const { score, prompts } = await vote(
      words.map(word => `VERDICT: ${word}`),
      entry,
    )
    expect(score.values['grade']).toBeCloseTo(value)
    expect(score.extracted['grade']).toMatchObject({ agreement })
    expect(prompts.map(({ temperature, sample }) => [temperature, sample])).toEqual(words.map((_, i) => [1, i]))
  })

  test('a failed vote fails the panel', async () => {
    const { score } = await vote(['VERDICT: CORRECT', 'perhaps', 'VERDICT: CORRECT'], { kind: 'binary' })
    expect(score).toMatchObject({ outcome: 'judge_failed', values: {} })
    expect(score.reason).toMatch(/^1 of 3 votes failed: /)
  })
})

test('a custom prompt replaces the built-in one, and keeps fences and verdict lines', async () => {
  const entry = { kind: 'binary', prompt: 'Ist {answer} dasselbe wie {reference}? {{klammer}}' }
  const { prompts, score } = await gradeAnswer(entry, { answer: 'Lutetia', reply: saying('VERDICT: CORRECT') })
  const text = promptText(prompts[0]!)
  expect(text).toMatch(/Ist \[BEGIN ANSWER [0-9a-f]{12}\]\nLutetia\n\[END ANSWER/)
  expect(text).toContain('{klammer}')
  expect(text).toContain(`"${verdictMark(text)} GRADE"`)
  expect(score.values['grade']).toBe(1)
})

test('a failed judge request fails the doc with its reason', async () => {
  const reply = () => ({ type: 'failed', reason: 'the judge model: timeout: no reply' }) as const
  const { score } = await gradeAnswer({ kind: 'binary' }, { answer: 'Paris', reply })
  expect(score).toMatchObject({ outcome: 'judge_failed', reason: 'the judge model: timeout: no reply', values: {} })
})

test.each<[JsonObject, string]>([
  [{ kind: 'binry' }, 'kind'],
  [{}, 'kind'],
  [{ kind: 'binary', low: 1 }, 'only the kind likert takes it, not binary'],
  [{ kind: 'rubric' }, 'the kind rubric needs a list of criteria'],
  [
    { kind: 'form', schema: { type: 'object', properties: {} } },
    'the kind form needs a JSON schema and the field to score',
  ],
  [{ kind: 'form', schema: { type: 'object', properties: {} }, field: 'a' }, 'the schema has no property "a"'],
  [{ kind: 'likert', low: 5, high: 5 }, 'it must be above low'],
  [{ kind: 'binary', votes: 3, temperature: 0 }, 'several votes need a temperature above 0'],
  [{ kind: 'binary', prompt: 'Is {anwser} right?' }, 'the prompt asks for {anwser}'],
  [{ kind: 'binary', prompt: 'Is it right?' }, 'it does not show what is graded: {answer}'],
  [{ kind: 'binary', promt: 'x' }, 'model_graded has no argument "promt". Did you mean "prompt"?'],
])('rejects a wrong entry before the first request: %j', (entry, message) => {
  const config = { metric_list: [{ metric: 'model_graded', ...entry }] }
  const make = () => makeScorer({ task: 't', outputType: 'generate_until', config, scorerCode: { files: {} } })
  expect(make).toThrow(message)
})

test('the judge gets the media of the answer before the question', async () => {
  const picture: MediaPart = { type: 'image', media: sha256('picture') }
  const input = {
    text: '',
    references: ['Paris'],
    record: { target: 'Paris', doc: { question: 'Draw it.' } },
    bodies: [],
  }
  const prompts: JudgePrompt[] = []
  const ask: AskJudge = prompt => {
    prompts.push(prompt)
    return Promise.resolve({ type: 'answered', text: verdictMark(promptText(prompt)) + ' CORRECT' })
  }
  const verdict = await modelGraded.judge({ ...input, media: [picture] }, gradedArgs.parse({ kind: 'binary' }), { ask })
  expect(verdict).toMatchObject({ type: 'scored', value: 1 })
  expect(prompts[0]?.messages).toMatchObject([
    {
      content: [
        picture,
        { type: 'text', text: expect.stringMatching(/^The media above are part of the answer/) as string },
      ],
    },
  ])
})

test('an answer without the required medium is unparsed, and the judge is not called', async () => {
  const entry = { kind: 'likert', low: 2, high: 5, question: false, needs: 'image' }
  const { score, prompts } = await gradeAnswer(entry, { answer: 'x', reply: () => 'VERDICT: 5' })
  expect(score).toMatchObject({ outcome: 'unparsed', values: { grade: 2 }, reason: 'the answer has no image' })
  expect(prompts).toEqual([])
})
