import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { runCli } from '../support/cli.js'
import { live } from '../support/crash.js'
import { spawnFakeOpenai } from '../support/fake-openai-process.js'
import { results } from '../support/own-task.js'
import { temporaryFolder } from '../support/store.js'

const yaml = `task: judged
dataset_path: ./questions.jsonl
doc_to_text: "{{question}}"
doc_to_target: answer
process_results: !function utils.judge
metric_list: [{metric: verdict, aggregation: mean, higher_is_better: true}]
`

const utils = `import { judgeFailed, scored, type ProcessResults } from 'pipeline'

export const judge: ProcessResults = async (doc, [answer], { target, ask }) => {
  const reply = await ask({ messages: \`Question: \${String(doc['question'])} Right: \${String(target)} Given: \${String(answer)}\`, maxTokens: 8 })
  if (reply.type === 'failed') return { verdict: judgeFailed(reply.reason) }
  return { verdict: reply.text === 'yes' ? scored(1) : judgeFailed('neither yes nor no') }
}
`

/** Questions of which the last equals the first, a model that answers `blue`, and a judge that replies `reply`. */
async function judgedTask(reply: string, { questions = 12, latency = 0, replies = Infinity } = {}) {
  const folder = await temporaryFolder()
  const [model, judge] = [
    await spawnFakeOpenai(['--text', 'blue']),
    await spawnFakeOpenai(['--text', reply, '--latency', String(latency), '--answers', String(replies)]),
  ]
  onTestFinished(async () => {
    await model.stop()
    await judge.stop()
  })
  await mkdir(join(folder, 'judged'))
  const docs = [...Array(questions).keys()].map(i => ({
    id: `q${i}`,
    question: `What is ${i % (questions - 1)}?`,
    answer: 'blue',
  }))
  await writeFile(join(folder, 'judged/questions.jsonl'), docs.map(doc => JSON.stringify(doc)).join('\n'))
  await writeFile(join(folder, 'judged/judged.yaml'), yaml)
  await writeFile(join(folder, 'judged/utils.ts'), utils)
  const line = ['--model', 'openai', '--model-args', `model=m,base_url=${model.url},api_key=sk-model-secret`]
  const judging = ['--judge-model', 'openai', '--judge-args', `model=j,base_url=${judge.url},api_key=sk-judge-secret`]
  return {
    folder,
    judge,
    run: (...args: readonly string[]) => runCli(args, { cwd: folder }),
    line: ['eval', ...line, '--tasks', './judged', '--json'],
    judging,
    requests: async () => [(await model.stats()).requests, (await judge.stats()).requests],
  }
}

test('calls a judge model once for equal prompts, and never again', async () => {
  const { run, line, judging, requests } = await judgedTask('<think>perhaps no</think> yes')
  const first = await run(...line, ...judging)
  expect(first.stderr + first.stdout).not.toContain('sk-judge-secret')
  expect(first.code).toBe(0)
  expect(results(first).tasks['judged']?.['verdict']).toMatchObject({ value: 1, n: 12 })
  expect(await requests()).toEqual([11, 11])
  expect((await run(...line, ...judging)).code).toBe(0)
  expect((await run('judge', 'last')).code).toBe(0)
  expect(await requests()).toEqual([11, 11])
})

test('without a judge model, answers are kept and can be judged later', async () => {
  const { run, line, judging, requests } = await judgedTask('yes')
  const without = await run(...line)
  expect(without.code).toBe(3)
  expect(without.stderr).toMatch(
    /12 {2}judge_failed {2}no judge model is named \(--judge-model, --judge-args\) {3}judged/,
  )
  const late = await run('judge', 'last', '--json', ...judging)
  expect(late.stderr).toContain('judge openai j: 11 asked, 0 from the store')
  expect(late.code).toBe(0)
  expect(results(late).tasks['judged']?.['verdict']).toMatchObject({ value: 1, n: 12 })
  expect(await requests()).toEqual([11, 11])
})

test('unreadable replies of a judge give no value and exit code 3', async () => {
  const { run, line, judging } = await judgedTask('perhaps')
  const judged = await run(...line, ...judging)
  expect(judged.code).toBe(3)
  expect(results(judged).tasks['judged']?.['verdict']).toMatchObject({ value: null, n: 0 })
})

test('killed judging never requests a stored reply of the judge again', async () => {
  const { run, line, judging, folder, judge, requests } = await judgedTask('yes', {
    ...{ questions: 60, latency: 25, replies: 0 },
  })
  const concurrency = 4
  const args = [...line, ...judging, '--judge-args', `num_concurrent=${concurrency}`]
  const task = join(folder, 'judged')
  const absolute = [...args.map(arg => (arg === './judged' ? task : arg)), '--store', join(folder, '.pipeline')]
  let killed = 0
  for (const seen of [5, 15, 30]) {
    // Allows enough replies to reach the kill point, but not to finish.
    await judge.allow(15)
    const watch = () => async () => ((await requests())[1] ?? 0) >= seen
    const life = await live(absolute, { name: 'judging', watch, delayMs: seen % 7 })
    if (life.wasKilled) killed += 1
  }
  await judge.allow(Infinity)
  const last = await run(...absolute)
  expect(last.code).toBe(0)
  expect(results(last).tasks['judged']?.['verdict']).toMatchObject({ value: 1, n: 60 })
  const [, judged = 0] = await requests()
  expect(killed).toBe(3)
  expect(judged).toBeGreaterThanOrEqual(59)
  expect(judged).toBeLessThanOrEqual(59 + killed * concurrency)
})

test("a bundle contains the judge's replies, so that another scoring elsewhere sends nothing", async () => {
  const { folder, run, line, judging, judge } = await judgedTask('yes')
  expect((await run(...line, ...judging)).code).toBe(0)
  const exported = await run('export', 'last', '-o', 'run.pipeline')
  // Two docs have the same judge prompt, so that twelve calls share eleven replies.
  expect(exported.stderr).toContain('no media, 12 judge calls)')
  await judge.stop()
  // Changed code of the task scores again with the same judge prompts.
  await writeFile(join(folder, 'judged/utils.ts'), `${utils}\nexport const changed = true\n`)
  const imported = await run('import', 'run.pipeline', '--store', 'elsewhere')
  expect(imported.stdout).toContain('11 replies of judges added, 0 were here')
  const again = await run('judge', 'last', '--store', 'elsewhere', '--include-path', '.', '--json')
  expect(again.stderr).toContain('judge openai j: 0 asked, 11 from the store')
  expect(again.code).toBe(0)
  expect(results(again).tasks['judged']?.['verdict']).toMatchObject({ value: 1, n: 12 })
})
