import { expect, test } from 'vitest'
import { ownTask, results } from '../support/own-task.js'

test("evaluates a user's task of YAML and JSONL, and the same command sends nothing again", async () => {
  const task = await ownTask()
  const first = await task.run(...task.line, '--limit', '5')
  expect(first).toMatchObject({ code: 0 })
  expect(first.stdout).toMatch(/mytask +exact_match +0\.800 .* 5 +100 %/)
  expect(await task.requests()).toBe(5)
  const whole = await task.run(...task.line)
  expect(whole.stdout).toMatch(/exact_match +0\.667 .*5 from store/s)
  expect(await task.requests()).toBe(6)
  for (const line of [task.line, [...task.line.slice(0, -1), 'my*', '--include-path', '.']])
    expect((await task.run(...line)).stdout).toContain('0 asked · 6 from store')
  expect(await task.requests()).toBe(6)
})

test('functions of utils.ts filter the docs, write the prompt and score the answer', async () => {
  const task = await ownTask()
  await task.write(
    'utils.ts',
    `interface Doc { question: string; answer: string; kind: string }
     export const keep = (docs: { filter(is: (doc: Doc) => boolean): unknown }) => docs.filter(doc => doc.kind === 'even')
     export const prompt = (doc: Doc): string => \`Q: \${doc.question} 你好 🎈\`
     export const score = (doc: Doc, [answer]: string[]) => ({ right: answer === doc.answer.toLowerCase() ? 1 : 0 })`,
  )
  await task.write(
    'mytask.yaml',
    `task: mytask
dataset_path: ./questions.jsonl
process_docs: !function utils.keep
doc_to_text: !function utils.prompt
process_results: !function utils.score
metric_list: [{metric: right}]
breakdown: kind
`,
  )
  const ended = await task.run(...task.line, '--json')
  expect(ended).toMatchObject({ code: 0 })
  expect(results(ended).tasks).toMatchObject({ mytask: { right: { value: 2 / 3, n: 3 } } })
  expect((await task.run('report', 'last', '--samples', 'wrong')).stdout).toContain('What colour is picture 4? 你好 🎈')
})

test('the same prompt in two tasks is one request, and why-miss explains other requests', async () => {
  const task = await ownTask()
  await task.run(...task.line)
  await task.write('second.yaml', `include: mytask.yaml\ntask: second\ndoc_to_target: '{{ "red" }}'\n`)
  expect((await task.run(...task.line)).stdout).toMatch(/second +exact_match/)
  expect(await task.requests()).toBe(6)
  await task.run(...task.line, '--gen-kwargs', 'until=;,max_new_tokens=7')
  expect(await task.requests()).toBe(12)
  const why = await task.run('cache', 'why-miss', 'last~1', 'last')
  expect(why.stdout).toMatch(/config\.generation\.max_new_tokens +not given → 7/)
  expect(why.stdout).toMatch(/config\.generation\.until +not given → \[";"\]/)
})

test('--new-run takes answers from the store, and --fresh sends again as other samples and loses none', async () => {
  const task = await ownTask()
  await task.run(...task.line)
  expect((await task.run(...task.line, '--new-run')).stdout).toContain('6 from store')
  expect(await task.requests()).toBe(6)
  for (const asked of [12, 18]) {
    expect(await task.run(...task.line, '--fresh')).toMatchObject({ code: 0 })
    expect(await task.requests()).toBe(asked)
  }
  await task.run(...task.line, '--fresh', '--limit', '2')
  expect(await task.requests()).toBe(20)
  const runs = JSON.parse((await task.run('runs', '--json')).stdout) as unknown[]
  expect(runs).toHaveLength(5)
  expect((await task.run('cache', 'why-miss', 'last~2', 'last~1')).stdout).toMatch(/all in one place:.*sample +1 → 2/s)
  expect(await task.run('judge', 'last~1', '--quiet')).toMatchObject({ code: 0 })
  expect((await task.run(...task.line)).stdout).toContain('0 asked · 6 from store')
})
