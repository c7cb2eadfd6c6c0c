import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { makeRenderer } from '../../stages/input/render/renderer.js'
import { resolveSelection } from '../../stages/input/tasks/resolve-tasks.js'
import { builtinTask } from '../support/builtin-task.js'
import { skipFewerExamples, testGoldenTask } from '../support/golden-task.js'

const skip = skipFewerExamples(['mmlu/mmlu_astronomy/prompt/default/2', 'mmlu/mmlu_pro_math/prompt/default/0'])
testGoldenTask('mmlu', { skip })

describe('with parity', () => {
  testGoldenTask('mmlu', { parity: 'lmms-eval', skip })
})

const cacheDir = mkdtempSync(join(tmpdir(), 'mmlu-'))
afterAll(() => {
  rmSync(cacheDir, { recursive: true, force: true })
})

describe('the groups of MMLU', () => {
  const forms = [
    'generative',
    'continuation',
    'flan_cot_zeroshot',
    'flan_cot_fewshot',
    'flan_n_shot_generative',
    'flan_n_shot_loglikelihood',
  ]

  it.each(['mmlu', ...forms.map(form => `mmlu_${form}`)])('%s contains the 57 subjects in four fields', async name => {
    const { tasks, groups } = await resolveSelection([name], { cacheDir, emit: () => undefined })
    expect(new Set(tasks.map(({ config }) => config.dataset_name)).size).toBe(57)
    expect(groups.map(group => [group.name, group.alias, group.members.length])).toEqual([
      [name, undefined, 4],
      [expect.stringContaining('stem'), 'stem', 19],
      [expect.stringContaining('other'), 'other', 13],
      [expect.stringContaining('social'), 'social sciences', 12],
      [expect.stringContaining('humanities'), 'humanities', 13],
    ])
  })
})

it('mmlu_flan_cot_zeroshot evaluates test, and with --parity lmms-eval the validation split', async () => {
  const splits = async (parity?: 'lmms-eval'): Promise<readonly (string | undefined)[]> => {
    const { tasks } = await resolveSelection(['mmlu_flan_cot_zeroshot'], { cacheDir, parity, emit: () => undefined })
    return tasks.map(({ config }) => config.test_split)
  }
  expect(await splits()).toEqual(Array.from({ length: 57 }, () => 'test'))
  expect(await splits('lmms-eval')).toEqual(Array.from({ length: 57 }, () => 'validation'))
})

const doc = { question: ' Which is red? ', choices: ['a rose', 'coal'], answer: 0, subject: 'x' }
const four = { ...doc, choices: ['a rose', 'coal', 'snow', 'grass'] }

describe('the variants of MMLU', () => {
  it('ask for an answer after reasoning, with the description directly before the question', async () => {
    const { prompt, target, score } = await builtinTask('mmlu_flan_cot_fewshot_anatomy')
    expect(prompt(four)).toBe(
      "The following are multiple choice questions (with answers) about anatomy.Q: Which is red?\n(A) a rose (B) coal (C) snow (D) grass\nA: Let's think step by step.",
    )
    expect(target(four)).toBe('(A)')
    const said = 'A rose is red. The answer is (A).'
    expect((await score(four, said)).values).toEqual({ 'exact_match,get-answer': 1 })
    expect(await score(four, 'It is (A).')).toMatchObject({ outcome: 'unparsed' })
  })

  it('ask for the letter in words', async () => {
    const { prompt, target, score } = await builtinTask('mmlu_anatomy_generative')
    expect(prompt(four)).toMatch(/\.\n+Which is red\?\nA\. a rose\nB\. coal\nC\. snow\nD\. grass\nAnswer:$/)
    expect(target(four)).toBe('A')
    expect((await score(four, 'A')).values).toEqual({ exact_match: 1 })
    expect((await score(four, 'A.')).values).toEqual({ exact_match: 0 })
  })

  it('compare the options as continuations', async () => {
    const { task } = await builtinTask('mmlu_continuation_anatomy')
    const rendered = makeRenderer(task, Object.keys(four)).render(four)
    expect(rendered).toMatchObject({ continuations: [' a rose', ' coal', ' snow', ' grass'], record: { target: 0 } })
  })

  it('find a letter in brackets, or the text of an option, in a short answer', async () => {
    const { score } = await builtinTask('mmlu_flan_n_shot_generative_anatomy')
    expect((await score(four, '(A)')).values).toEqual({
      'exact_match,strict-match': 1,
      'exact_match,flexible-extract': 1,
    })
    expect((await score(four, 'A rose.')).values).toEqual({
      'exact_match,strict-match': 0,
      'exact_match,flexible-extract': 1,
    })
  })
})

it('MMLU-Pro shows examples with their reasoning', async () => {
  const { task } = await builtinTask('mmlu_pro_math')
  const example = {
    question: 'Which?',
    options: ['one', 'two'],
    answer: 'A',
    cot_content: "A: Let's think step by step. It is (A).",
    category: 'math',
  }
  const asked = { ...example, question: 'And which?', cot_content: '' }
  const rendered = makeRenderer(task, Object.keys(asked)).render(asked, [example])
  expect(rendered).toMatchObject({
    messages: [
      {
        content: [
          {
            text: expect.stringMatching(
              /choice\.\n*Question:\nWhich\?\nOptions:\nA\. one\nB\. two\nAnswer: Let's think step by step\. It is \(A\)\.\n\nQuestion:\nAnd which\?\n.*\nAnswer: Let's think step by step\.$/s,
            ) as unknown,
          },
        ],
      },
    ],
  })
})
