import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { runCli } from '../support/cli.js'
import { startFakeOpenai } from '../support/fake-openai.js'
import { verdictMark } from '../support/graded.js'
import { results } from '../support/own-task.js'
import { temporaryFolder } from '../support/store.js'

const yaml = `task: graded
dataset_path: ./questions.jsonl
doc_to_text: "{{ask}}"
doc_to_target: answer
metric_list:
  - {metric: model_graded, name: right, kind: binary, question: ask, max_failures: 5}
  - metric: model_graded
    name: quality
    kind: rubric
    question: "Asked: {{ask}}"
    criteria: [{name: colour, text: It names a colour., weight: 3}, {name: short, text: It is short.}]
`

const readPrompt = (text: string): string =>
  (JSON.parse(text) as { messages: readonly { content: string }[] }).messages.map(({ content }) => content).join('\n')

/** A judge that decides whether each text contains the reference. */
function judgeOf(prompt: string): string {
  const read = (name: string) => new RegExp(`\\[BEGIN ${name} .*\\]\n([^]*)\n\\[END ${name}`).exec(prompt)?.[1] ?? ''
  const isRight = read('ANSWER').includes(read('REFERENCE'))
  if (prompt.includes('# Criteria'))
    return `${verdictMark(prompt, '1')} ${isRight ? 'MET' : 'UNMET'}\n${verdictMark(prompt, '2')} PARTLY`
  return `Compared.\n${verdictMark(prompt)} ${isRight ? 'CORRECT' : 'INCORRECT'}`
}

async function gradedTask(reply: (prompt: string) => string) {
  const folder = await temporaryFolder()
  const model = await startFakeOpenai({ answer: () => 'It is blue.' })
  const judge = await startFakeOpenai({ answer: ({ text }) => reply(readPrompt(text)), keepBodies: true })
  onTestFinished(async () => {
    await model.close()
    await judge.close()
  })
  await mkdir(join(folder, 'graded'))
  const docs = Array.from({ length: 8 }, (_, i) => ({ ask: `What is ${i}?`, answer: i < 6 ? 'blue' : 'red' }))
  await writeFile(join(folder, 'graded/questions.jsonl'), docs.map(doc => JSON.stringify(doc)).join('\n'))
  await writeFile(join(folder, 'graded/graded.yaml'), yaml)
  const line = ['--model', 'openai', '--model-args', `model=m,base_url=${model.url},api_key=sk-m`]
  return {
    judge,
    run: (...args: readonly string[]) => runCli(args, { cwd: folder }),
    line: ['eval', ...line, '--tasks', './graded', '--json'],
    judging: ['--judge-model', 'openai', '--judge-args', `model=j,base_url=${judge.url},api_key=sk-j`],
  }
}

test('a judge model grades a task file without code, and judging again sends nothing', async () => {
  const { run, line, judging, judge } = await gradedTask(judgeOf)
  const first = await run(...line, ...judging)
  expect(first.code).toBe(0)
  expect(results(first).tasks['graded']).toMatchObject({
    right: { value: 0.75, n: 8 },
    quality: { value: (6 * 3.5 + 2 * 0.5) / 4 / 8, n: 8 },
  })
  // Each metric sends the docs and two canary questions.
  expect(judge.stats().requests).toBe(20)
  const again = await run('judge', 'last')
  expect(again.code).toBe(0)
  expect(judge.stats().requests).toBe(20)
  const samples = await run('report', 'last', '--samples', 'wrong')
  expect(samples.stdout).toContain('"colour":"UNMET"')
})

test('the plan says that a judge model is needed and missing', async () => {
  const { run, line } = await gradedTask(judgeOf)
  const planned = await run(...line.filter(arg => arg !== '--json'), '--plan')
  expect(planned.stdout + planned.stderr).toContain('may ask a judge model, and none is named')
})

test('a judge that grades everything as wrong gives no score, and the answers are kept', async () => {
  const { run, line, judging, judge } = await gradedTask(prompt =>
    prompt.includes('# Criteria') ? judgeOf(prompt) : `${verdictMark(prompt)} INCORRECT`,
  )
  const judged = await run(...line, ...judging)
  expect(judged.code).toBe(3)
  expect(results(judged).tasks['graded']?.['right']).toMatchObject({ value: null, n: 0 })
  expect(judged.stderr).toMatch(
    /the judge openai \S+ is asked nothing more: the judge says that the reference itself is wrong/,
  )
  expect(judged.stderr).toMatch(/pipeline judge \S+ --judge-model openai/)
  expect(judge.seen.filter(({ text }) => !text.includes('# Criteria'))).toHaveLength(2)
})

test('each metric has its judge, a panel is combined, and judging again keeps the judges', async () => {
  const { run, line, judging, judge } = await gradedTask(judgeOf)
  const strict = await startFakeOpenai({
    answer: ({ text }) =>
      `${verdictMark(readPrompt(text))} ${readPrompt(text).includes('What is 1?') ? 'INCORRECT' : judgeOf(readPrompt(text)).split(' ').at(-1)}`,
  })
  onTestFinished(() => strict.close())
  const panel = [`model=j,base_url=${judge.url}`, `model=strict,base_url=${strict.url}`]
  const first = await run(
    ...line,
    ...judging,
    ...panel.flatMap(args => ['--judge-for', `graded.right=openai,${args},api_key=sk-p`]),
  )
  expect(first.stderr).not.toMatch(/sk-p|more than once/)
  expect(first.code).toBe(0)
  expect(results(first).tasks['graded']).toMatchObject({
    right: { n: 8, judges: ['openai j', 'openai strict'], panel: { docs: 8, disputed: 1 } },
    quality: { n: 8, judges: ['openai j'] },
  })
  expect((await run('report', 'last')).stdout).toMatch(
    /judged by openai j, openai strict: graded right[^]*graded right: the judges differ on 1 of 8 docs, Krippendorff's alpha 0\.\d\d/,
  )
  expect((await run('report', 'last', '--samples', 'disputed')).stderr).toContain('1 doc disputed')
  const asked = [judge.stats().requests, strict.stats().requests]
  expect((await run('judge', 'last')).code).toBe(0)
  expect([judge.stats().requests, strict.stats().requests]).toEqual(asked)
  const misspelt = await run('judge', 'last', '--judge-for', 'graded.rihgt=dummy')
  expect([misspelt.code, misspelt.stderr]).toEqual([1, expect.stringContaining('Did you mean "graded.right"?')])
})
