import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ownTask } from '../support/own-task.js'

const listOf = (url: string): string => `- &all
  model: openai
  model_args: {model: m, base_url: "${url}"}
  env: {OPENAI_API_KEY: sk-of-a-list}
  tasks: ./mytask
  limit: 2
  seed: [0, 1234, 1234, 1234]
- <<: *all
  limit: 4
`

test('evaluates a list of runs in order; a failed run does not stop the others, and the exit code reports it', async () => {
  const task = await ownTask()
  await writeFile(join(task.folder, 'runs.yaml'), listOf(task.server.url))

  const plan = await task.run('eval', '--config', 'runs.yaml', '--plan')
  expect(plan).toMatchObject({ code: 0 })
  expect(plan.stderr).toMatch(/run 1 of 2 +runs\.yaml:2:3[^]*run 2 of 2 +runs\.yaml:8:3/)
  expect(await task.requests()).toBe(0)

  const ended = await task.run('eval', '--config', 'runs.yaml', '--json')
  expect(ended).toMatchObject({ code: 0 })
  const results = JSON.parse(ended.stdout) as readonly { readonly tasks: { mytask: { exact_match: { n: number } } } }[]
  expect(results.map(({ tasks }) => tasks.mytask.exact_match.n)).toEqual([2, 4])
  expect(await task.requests()).toBe(4)

  const shown = await task.run('eval', '--config', 'runs.yaml')
  expect(shown).toMatchObject({ code: 0 })
  expect(shown.stdout).toMatch(/0 asked · 2 from store[^]*0 asked · 4 from store/)
  expect(shown.stdout + shown.stderr).not.toContain('sk-of-a-list')

  // A picture that is not there fails docs of the second run alone.
  await task.edit('questions.jsonl', '"image":"img/3.png"', '"image":"img/none.png"')
  await writeFile(
    join(task.folder, 'turned.yaml'),
    listOf(task.server.url).replace('limit: 2', 'limit: 4').replace(/4\n$/, '2\n'),
  )
  const incomplete = await task.run('eval', '--config', 'turned.yaml', '--json')
  expect(incomplete).toMatchObject({ code: 2 })
  expect(JSON.parse(incomplete.stdout)).toHaveLength(2)
})

test('checks all runs of a list before the first starts, and rejects a limit on the command line', async () => {
  const task = await ownTask()
  const file = join(task.folder, 'runs.yaml')
  await writeFile(file, `${listOf(task.server.url)}- <<: *all\n  tasks: ./mytsk\n- {tasks: ./mytask}\n`)
  const unnamed = await task.run('eval', '--config', 'runs.yaml')
  expect(unnamed).toMatchObject({ code: 1, stdout: '' })
  expect(unnamed.stderr).toMatch(/runs\.yaml:12:3 {2}no model is named/)
  await writeFile(file, `${listOf(task.server.url)}- <<: *all\n  tasks: ./mytsk\n`)
  const wrong = await task.run('eval', '--config', 'runs.yaml')
  expect(wrong).toMatchObject({ code: 1, stdout: '' })
  expect(wrong.stderr).toMatch(/runs\.yaml:10:3 {2}.*mytsk/)
  await writeFile(file, listOf(task.server.url))
  const limited = await task.run('eval', '--config', 'runs.yaml', '--max-cost', '1', '--max-requests', '3')
  expect(limited).toMatchObject({ code: 1 })
  expect(limited.stderr).toMatch(/--max-requests: runs\.yaml holds a list of runs\. Write the limit into each run/)
  const exported = await task.run('infer', '--config', 'runs.yaml', '-o', 'x.pipeline')
  expect(exported.stderr).toMatch(/--output: runs\.yaml holds a list of runs/)
  expect(await task.requests()).toBe(0)
})
