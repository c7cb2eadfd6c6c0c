import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ownTask } from '../support/own-task.js'

const experiment = (url: string): string => `models:
  first: {model: openai, model_args: {model: m, base_url: "${url}"}}
  second: {model: dummy, model_args: {mode: fixed, text: red}}
tasks: ./mytask
variants:
  plain:
  loud: {override: {"*": {description: "Answer loudly. "}}}
exclude:
  - {model: second, variant: loud}
env: {OPENAI_API_KEY: sk-of-an-experiment}
`

test('an experiment runs each combination once, and ends with a table of all', async () => {
  const task = await ownTask()
  await writeFile(join(task.folder, 'colours.yaml'), experiment(task.server.url))

  const ended = await task.run('eval', '--config', 'colours.yaml')
  expect(ended).toMatchObject({ code: 0 })
  expect(ended.stdout).toMatch(/task +metric +first\/plain +first\/loud +second\/plain\nmytask +exact_match +\d/)
  // A line for each run, and one table.
  expect(ended.stdout).toMatch(
    /^first\/plain {3}mytask exact_match \d\.\d+ · .*\nfirst\/loud {3}.*\nsecond\/plain {3}.*\n\n/,
  )
  expect(ended.stdout.match(/coverage/g)).toBeNull()
  expect(ended.stdout + ended.stderr).not.toContain('sk-of-an-experiment')
  const sent = await task.requests()
  expect(sent).toBeGreaterThan(0)

  const planned = await task.run('eval', '--config', 'colours.yaml', '--plan')
  expect(planned.stdout).toMatch(
    /plan of all 3 runs.*\n\n +run .*\n +first\/plain .*\n +first\/loud .*\n +second\/plain .*\n +all /,
  )

  const again = await task.run('eval', 'colours.yaml')
  expect(again).toMatchObject({ code: 0 })
  expect(await task.requests()).toBe(sent)

  const listed = await task.run('runs', 'list', '--json')
  const runs = JSON.parse(listed.stdout) as readonly { readonly title?: string }[]
  expect(runs.map(({ title }) => title).sort()).toEqual([
    'colours/first/loud',
    'colours/first/plain',
    'colours/second/plain',
  ])

  const compared = await task.run('compare', 'colours/second/plain', 'colours/first/plain')
  expect(compared.stdout).toMatch(/^task +metric +n +colours\/second\/plain +colours\/first\/plain/)

  const plain = await task.run('report', 'last', '--samples', 'all', '--limit', '1')
  expect(plain.stdout).not.toContain('Answer loudly.')
})

test('rejects an override of a task that the run does not have before anything is sent', async () => {
  const task = await ownTask()
  const line = ['eval', '--model', 'dummy', '--tasks', './mytask', '--override']
  const unknown = await task.run(...line, 'mytsk.num_fewshot=1')
  expect(unknown).toMatchObject({ code: 1, stdout: '' })
  expect(unknown.stderr).toContain('--override: no task of the run is called "mytsk". Did you mean "mytask"?')
  const wrong = await task.run(...line, 'mytask.num_fewshots=1')
  expect(wrong.stderr).toContain(
    '--override mytask.num_fewshots  num_fewshots: no such key. Did you mean "num_fewshot"?',
  )
})
