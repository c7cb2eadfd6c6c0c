import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { runCli, startCli } from '../support/cli.js'
import { spawnFakeOpenai } from '../support/fake-openai-process.js'
import { until } from '../support/shared-work.js'
import { temporaryFolder } from '../support/store.js'
import { lookInto } from '../support/store-look.js'
import { writeTextTask } from '../support/text-task.js'

interface Line {
  readonly run: string
  readonly state: string
  readonly requests: number
  readonly answered: number
  readonly scores: readonly { readonly task: string; readonly metric: string; readonly n: number }[]
}

function linesOf(stdout: string): readonly Line[] {
  return stdout
    .split('\n')
    .slice(0, -1)
    .map(line => JSON.parse(line) as Line)
}

test('one overview shows the selected runs, and says when no process works on a run', async () => {
  const folder = await temporaryFolder()
  const task = await writeTextTask(join(folder, 'task'), 9)
  const store = ['--store', join(folder, 'store')]
  expect(await runCli(['eval', '--model', 'dummy', '--tasks', task, ...store])).toMatchObject({ code: 0 })

  const idle = await runCli(['runs', 'watch', '--once', ...store])
  expect(idle).toMatchObject({ code: 0, stdout: 'no process works on a run of this store\n' })
  const shown = await runCli(['runs', 'watch', 'last', '--once', ...store])
  expect(shown).toMatchObject({ code: 0, stderr: '' })
  expect(shown.stdout).toMatch(/^run +model +tasks [^\n]*\n[\w-]+ +dummy +echoes .* 9\/9 .* exact_match .* complete\n$/)
  const json = await runCli(['runs', 'watch', 'last', '--once', '--json', ...store])
  expect(linesOf(json.stdout)).toMatchObject([{ state: 'complete', requests: 9, answered: 9, scores: [{ n: 9 }] }])

  const wrong = await runCli(['runs', 'watch', '--once', '--interval', '0', ...store])
  expect(wrong.code).toBe(1)
  expect(wrong.stderr).toContain('--interval: expected seconds, more than 0')
  expect(await runCli(['runs', 'watch', 'nobody', '--once', ...store])).toMatchObject({ code: 1, stdout: '' })
})

test('--watch shows another process starting and finishing a run, and Ctrl-C does not disturb it', async () => {
  const server = await spawnFakeOpenai(['--latency', '5', '--answers', '10'])
  onTestFinished(() => server.stop())
  const folder = await temporaryFolder()
  const task = await writeTextTask(join(folder, 'task'), 40)
  const store = join(folder, 'store')
  // The store must be there before it can be watched.
  expect(await runCli(['eval', '--model', 'dummy', '--tasks', task, '--limit', '1', '--store', store])).toMatchObject({
    code: 0,
  })
  const watch = startCli(['runs', 'watch', '--json', '--interval', '0.1', '--store', store])
  let seen = ''
  watch.child.stdout?.on('data', (text: string) => (seen += text))
  const model = ['--model', 'openai', '--model-args', `model=m,base_url=${server.url}`, '--concurrency', '4']
  const line = startCli(['eval', '--tasks', task, '--store', store, ...model])
  await until(watch, () => linesOf(seen).some(({ answered }) => answered === 10))
  expect(lookInto(store).responses).toBe(11)
  const once = await runCli(['runs', 'watch', '--once', '--store', store])
  expect(once.stdout).toMatch(/ 10\/40 .* running\n$/)
  await server.allow(Infinity)
  expect(await line.ended).toMatchObject({ code: 0 })
  await until(watch, () => linesOf(seen).some(({ state }) => state === 'complete'))
  watch.child.kill('SIGINT')
  expect(await watch.ended).toMatchObject({ code: 0, signal: null, stderr: '' })

  const lines = linesOf(seen)
  expect(new Set(lines.map(({ run }) => run)).size).toBe(1)
  expect(lines[0]).toMatchObject({ state: 'running' })
  expect(lines.at(-1)).toMatchObject({ state: 'complete', requests: 40, answered: 40, scores: [{ n: 40 }] })
  const counts = lines.map(({ answered }) => answered)
  expect(counts).toEqual(counts.toSorted((a, b) => a - b))
})
