import { expect, test } from 'vitest'
import type { AskJudge } from '../../stages/judge/define/judge-model.js'
import { builtinTask } from '../support/builtin-task.js'
import { testGoldenTask } from '../support/golden-task.js'

testGoldenTask('openai_math', {
  skip: row => (row.kind === 'score' ? 'the reference scores nothing without a judge of its own' : undefined),
})

const doc = { problem: 'What is half of one?', solution: '', answer: '\\frac{1}{2}' }

/** A judge with these replies, and the prompts that it got. */
function judge(...replies: readonly string[]) {
  const asked: string[] = []
  const ask: AskJudge = ({ messages }) => {
    asked.push(typeof messages === 'string' ? messages : messages.map(({ text }) => text).join('\n'))
    return Promise.resolve({ type: 'answered', text: replies[asked.length - 1] ?? '-1' })
  }
  return { asked, ask }
}

test('scores the first, the majority and the coverage of 64 answers, and the judge gets the earlier ones', async () => {
  const { asked, ask } = judge('1', '-1', '2')
  const { score } = await builtinTask('openai_math_agg64', { ask })
  const answers = ['Answer: 0.5', 'Answer: 7 apples', 'Answer: seven', 'Answer: \\frac{1}{2}']
  const { values } = await score(doc, [...answers, ...Array<string>(60).fill('\\boxed{\\frac{1}{2}}')])
  expect(asked.map(prompt => prompt.split('\n').slice(-2))).toEqual([
    ["    Options: ['\\frac{1}{2}']", '    Attempt: 0.5'],
    ["    Options: ['\\frac{1}{2}']", '    Attempt: 7 apples'],
    ["    Options: ['\\frac{1}{2}', '7 apples']", '    Attempt: seven'],
  ])
  expect(values).toMatchObject({
    'exact_match,all': 1,
    'cov@2,all': 1,
    'maj@4,all': 1,
    'maj@64,all': 1,
    'cov@64,all': 1,
  })
  expect((values['extracted_answers,all'] as readonly string[]).slice(0, 4)).toEqual([
    ...['\\frac{1}{2}', '7 apples', '7 apples', '\\frac{1}{2}'],
  ])
})

test('scores each way to select among 64 answers, and coverage', async () => {
  const { ask } = judge()
  const { score } = await builtinTask('openai_math_maj64_cov64', { ask })
  const body = await score({ ...doc, answer: '7' }, [
    ...Array<string>(9).fill('\\boxed{8}'),
    ...Array<string>(55).fill('7'),
  ])
  expect(body.values).toEqual({
    ...{ 'exact_match,score-first': 0, 'exact_match,maj@64': 1, 'exact_match,maj@32': 1, 'exact_match,maj@16': 0 },
    ...{ 'exact_match,maj@8': 0, 'exact_match,cov@64': 1, 'exact_match,cov@16': 1, 'exact_match,cov@8': 0 },
  })
})

test('an answer on which the judge fails is not wrong', async () => {
  const { score } = await builtinTask('openai_math', { ask: () => Promise.resolve({ type: 'failed', reason: 'away' }) })
  expect(await score(doc, 'Answer: 0.5')).toMatchObject({ outcome: 'judge_failed' })
})

test('leading zeros do not change a right answer, also for the judge model', async () => {
  const { asked, ask } = judge('-1')
  const { score } = await builtinTask('openai_math', { ask })
  const body = await score({ ...doc, answer: '012' }, 'Answer: a dozen')
  expect(asked[0]).toContain("Options: ['12']")
  expect(body.values).toMatchObject({ exact_match: 0 })
  expect((await score({ ...doc, answer: '012' }, '12')).values).toMatchObject({
    exact_match: 1,
    extracted_answers: ['12'],
  })
})

test.each(['openai_math_train', 'openai_math_cov64_train'])(
  'training problems end an answer where the next one would begin, %s',
  async name => {
    const { task } = await builtinTask(name)
    expect(task.config.generation_kwargs).toMatchObject({ until: ['Problem:'] })
  },
)
