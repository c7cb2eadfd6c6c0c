/** An evaluation with a stop condition ends at the same doc, however often it is killed, and asks no other docs. */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { runCli, startCli } from '../support/cli.js'
import { spawnFakeOpenai } from '../support/fake-openai-process.js'
import { temporaryFolder } from '../support/store.js'

const docs = 400
const condition = ['--stop-when', 'half-width < 0.05']

async function writeTask(folder: string): Promise<string> {
  await mkdir(folder, { recursive: true })
  const rows = Array.from(
    { length: docs },
    (_, i) => `${JSON.stringify({ q: `question ${i}`, a: i % 10 === 0 ? 'no' : 'yes' })}\n`,
  )
  await writeFile(join(folder, 'docs.jsonl'), rows.join(''))
  const file = join(folder, 'agreed.yaml')
  const head = 'task: agreed\ndataset_path: ./docs.jsonl\ndoc_to_text: "{{q}}"\ndoc_to_target: a\n'
  await writeFile(file, `${head}output_type: generate_until\nmetric_list: [{metric: exact_match}]\n`)
  return file
}

async function prepareScene(...flags: readonly string[]) {
  const server = await spawnFakeOpenai(['--text', 'yes', ...flags])
  onTestFinished(() => server.stop())
  const folder = await temporaryFolder()
  const task = await writeTask(join(folder, 'task'))
  const model = ['--model', 'openai', '--model-args', `model=m,base_url=${server.url},api_key=k`]
  const line = (store: string, ...more: readonly string[]) => [
    ...['eval', '--tasks', task, '--store', join(folder, store), ...model, ...condition],
    ...more,
  ]
  return { server, folder, line }
}

const stopIn = (text: string): string | undefined =>
  /stopped at n = \d+ of 400: half-width 0\.0\d+ \(confidence sequence\)/.exec(text)?.[0]

test('a run killed again and again stops at the same doc as with another concurrency, and sends no other docs', async () => {
  const { server, folder, line } = await prepareScene('--latency', '15')
  const whole = await runCli(line('whole', '--concurrency', '16'))
  expect(whole.code).toBe(0)
  const stop = stopIn(whole.stdout)
  const asked = Number(/n = (\d+)/.exec(stop ?? '')?.[1])
  expect(asked).toBeGreaterThan(50)
  expect(asked).toBeLessThan(docs)
  expect((await server.log()).length).toBe(asked)
  for (const more of [8, 47, 30, 61]) {
    const target = (await server.log()).length + more
    const started = startCli(line('killed', '--concurrency', '3'))
    while ((await server.log()).length < target) await sleep(5)
    started.child.kill('SIGKILL')
    await started.ended
    await server.untilLeft()
  }
  const last = await runCli(line('killed', '--concurrency', '5'))
  expect(last.code).toBe(0)
  expect(stopIn(last.stdout)).toBe(stop)
  // Each kill may repeat the requests in flight.
  const { length } = await server.log()
  expect(length).toBeGreaterThanOrEqual(2 * asked)
  expect(length).toBeLessThanOrEqual(2 * asked + 4 * 3)

  const shown = await runCli(['runs', 'show', 'last', '--store', join(folder, 'killed')])
  expect(shown.stdout).toContain(stop)
  const listed = await runCli(['runs', '--store', join(folder, 'killed')])
  expect(listed.stdout).toContain('complete')
})

test('decides a clear difference from a stored run before all docs are sent', async () => {
  const { folder, line } = await prepareScene()
  const store = join(folder, 'compared')
  const task = line('compared')[2] ?? ''
  const dummy = ['eval', '--tasks', task, '--store', store, '--model', 'dummy', '--model-args']
  expect((await runCli([...dummy, 'mode=fixed,text=no'])).code).toBe(0)
  const { code, stdout } = await runCli([...dummy, 'mode=fixed,text=yes', '--stop-when', 'decided vs last'])
  expect(code).toBe(0)
  expect(stdout).toMatch(/stopped at n = \d+ of 400: \+0\.\d+ \(.*\) against [a-z0-9-]+@1 \(confidence sequence\)/)
  const resumed = await runCli(['resume', 'last', '--store', store])
  expect(resumed.stdout).toContain(/stopped at n = \d+/.exec(stdout)?.[0])
})

test('rejects a condition that cannot be decided before a request is sent', async () => {
  const { server, line } = await prepareScene()
  for (const [more, why] of [
    [['--shard', '1/2'], 'a part cannot know'],
    [['--predict-only'], 'needs scores while docs are asked'],
    [['--stop-when', 'f1 half-width < 0.1'], 'has no metric "f1"'],
    [['--stop-when', 'decided vs nobody'], 'no run "nobody"'],
  ] as const) {
    const { code, stderr } = await runCli(line('rejected', ...more))
    expect([code, stderr]).toEqual([1, expect.stringContaining(why)])
  }
  expect(await server.log()).toEqual([])
})
