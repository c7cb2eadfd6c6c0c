import { expect, test } from 'vitest'
import { builtinTask } from '../support/builtin-task.js'
import { testGoldenTask } from '../support/golden-task.js'

testGoldenTask('mathvision', {
  values: { mathvision_standard_eval: ({ scores }: { readonly scores: readonly boolean[] }) => Number(scores[0]) },
})

test('a judge model can grade, and gets the question without its options', async () => {
  const asked: string[] = []
  const { score, prompt } = await builtinTask('mathvision_reason_testmini', {
    ask: ({ messages }) => {
      asked.push(JSON.stringify(messages))
      return Promise.resolve({ type: 'answered', text: '1' })
    },
  })
  const doc = { question: 'Which one?', options: ['red', 'teal'], answer: 'B', subject: 's', level: 1 }
  expect(prompt({ ...doc, decoded_image: 'a.png' })).toMatch(/"\\boxed\{\}"\.Which one\?\nChoices: A\. red\nB\. teal$/)
  expect((await score({ ...doc, decoded_image: 'a.png' }, 'teal')).values).toEqual({ llm_as_judge_eval: 1 })
  expect(asked[0]).toContain('Which one?')
  expect(asked[0]).not.toContain('A. red')
})
