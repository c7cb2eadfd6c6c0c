import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runCli } from '../support/cli.js'
import { results } from '../support/own-task.js'
import { temporaryFolder } from '../support/store.js'
import { writeTextTask } from '../support/text-task.js'

test('judge --answers scores a file as a run, which report, compare and judge can read', async () => {
  const folder = await temporaryFolder()
  await writeTextTask(join(folder, 'task'), 6)
  const run = (...args: string[]) => runCli(args, { cwd: folder })
  const rows = [0, 1, 2, 3, 4].map(index => ({ id: String(index), output: `question ${index}` }))
  await writeFile(join(folder, 'mine.jsonl'), rows.map(row => `${JSON.stringify(row)}\n`).join(''))

  const judged = await run('judge', '--answers', 'mine.jsonl', '--tasks', './task', '--json')
  expect(judged.code).toBe(2)
  expect(judged.stderr).not.toContain('resume:')
  expect(judged.stderr).toContain('1 doc of 6 without an answer, counted as failed and not scored: "5"')
  expect(results(judged).tasks['echoes']).toMatchObject({ exact_match: { value: 0.6, n: 5 } })

  const whole = rows.concat({ id: '5', output: 'question 5' })
  await writeFile(join(folder, 'whole.jsonl'), whole.map(row => `${JSON.stringify(row)}\n`).join(''))
  const line = ['--answers', 'whole.jsonl', '--tasks', './task', '--model-name', 'elsewhere']
  expect((await run('judge', ...line)).code).toBe(0)
  expect((await run('report', 'last')).stdout).toMatch(/elsewhere[\s\S]*exact_match +0\.667/)
  expect((await run('judge', 'last')).stdout).toMatch(/^nothing changed since .*: 0 rescored, 0 asked/)
  expect((await run('compare', 'last~1', 'last')).stdout).toContain('exact_match')

  expect((await run('judge')).stderr).toContain('judge: name a run, such as last, or a file of answers')
  expect((await run('judge', 'last', '--answer-column', 'x')).stderr).toContain('--answer-column needs --answers FILE')
})

test('dummy mode=target answers with targets, and says so', async () => {
  const folder = await temporaryFolder()
  await writeTextTask(join(folder, 'task'), 6)
  const run = (...args: string[]) => runCli(args, { cwd: folder })
  const ended = await run('eval', '--model', 'dummy', '--model-args', 'mode=target', '--tasks', './task', '--json')
  expect(ended.code).toBe(0)
  expect(results(ended).tasks['echoes']).toMatchObject({ exact_match: { value: 1, n: 6 } })
  expect((await run('report', 'last')).stdout).toContain('the answers are the targets of the docs')
})

test('import --tasks writes tasks that can be evaluated, and lists what it leaves out', async () => {
  const folder = await temporaryFolder()
  const run = (...args: string[]) => runCli(args, { cwd: folder })
  const tests = 'tests: [{vars: {n: 2}, assert: [{type: contains, value: "2"}, {type: javascript, value: "true"}]}]'
  await writeFile(join(folder, 'foo.yaml'), `prompts: ["Say {{n}}"]\nproviders: [echo]\n${tests}\n`)
  const written = await run('import', '--tasks', 'foo.yaml', '--json')
  expect(JSON.parse(written.stdout)).toMatchObject({ folder: 'foo', tasks: ['foo'], docs: 1 })
  expect((await run('import', '--tasks', 'foo.yaml', '--name', 'again')).stderr).toMatch(
    /1 part not translated:\n +foo\.yaml:3 +javascript: /,
  )
  const evaluated = await run('eval', '--model', 'dummy', '--tasks', './foo', '--json')
  expect(results(evaluated).tasks['foo']).toMatchObject({ pass: { value: 1 }, score: { value: 1 } })
})
