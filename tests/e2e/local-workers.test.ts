import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { runCli, startCli } from '../support/cli.js'
import { dumpOf, expectSound } from '../support/crash.js'
import { spawnFakeOpenai } from '../support/fake-openai-process.js'
import { childrenOf, isRunning } from '../support/processes.js'
import { until } from '../support/shared-work.js'
import { temporaryFolder } from '../support/store.js'
import { writeTextTask } from '../support/text-task.js'

async function prepare(docs: number) {
  const server = await spawnFakeOpenai(['--latency', '20', '--answers', '0'])
  onTestFinished(() => server.stop())
  const folder = await temporaryFolder()
  const task = await writeTextTask(join(folder, 'task'), docs)
  const line = (store: string): readonly string[] => [
    ...['eval', '--tasks', task, '--store', store, '--model', 'openai', '--concurrency', '4'],
    ...['--model-args', `model=m,base_url=${server.url}`],
  ]
  const inFlight = async (): Promise<number> => (await server.stats()).inFlight
  return { server, folder, line, inFlight }
}

test('processes of one machine share a run in a folder, and one of them may be killed', async () => {
  const { server, folder, line, inFlight } = await prepare(200)
  const [shared, alone] = [join(folder, 'shared'), join(folder, 'alone')]
  const parent = startCli([...line(shared), '--workers', '3', '--json'])
  await until(parent, async () => (await inFlight()) > 8)
  const [victim = 0, ...others] = childrenOf(parent.child.pid ?? 0)
  expect(others).toHaveLength(1)
  process.kill(victim, 'SIGKILL')
  await server.allow(Infinity)
  const end = await parent.ended
  expect(end).toMatchObject({ code: 0 })
  expect(end.stderr).toMatch(/worker [23] ended \(SIGKILL\)/)
  // Only one process prints the results.
  expect(() => void JSON.parse(end.stdout)).not.toThrow()
  const { requests, distinct } = await server.stats()
  expect(distinct).toBe(200)
  expect(requests - distinct).toBeLessThanOrEqual(4)
  expect(await runCli(line(alone))).toMatchObject({ code: 0 })
  expect(await dumpOf(shared)).toBe(await dumpOf(alone))
  await expectSound(shared)
})

test('the other processes end with the one that started them', async () => {
  const { server, folder, line, inFlight } = await prepare(100)
  const store = join(folder, 'store')
  const interrupted = startCli([...line(store), '--workers', '2'])
  await until(interrupted, async () => (await inFlight()) > 4)
  interrupted.child.kill('SIGINT')
  await until(interrupted, () => interrupted.told().includes('finishing'))
  await server.allow(8)
  expect(await interrupted.ended).toMatchObject({ code: 130 })

  const killed = startCli([...line(store), '--workers', '2'])
  await until(killed, async () => (await inFlight()) > 4)
  const children = childrenOf(killed.child.pid ?? 0)
  killed.child.kill('SIGKILL')
  await killed.ended
  await server.allow(8)
  while (children.some(isRunning)) await sleep(10)

  await server.allow(Infinity)
  expect(await runCli(line(store))).toMatchObject({ code: 0 })
  const { requests, distinct } = await server.stats()
  expect(distinct).toBe(100)
  expect(requests - distinct).toBeLessThanOrEqual(4)
})

test('rejects limits of one process and result files of a detached run', async () => {
  const { folder, line } = await prepare(3)
  const store = join(folder, 'store')
  const shared = await runCli([...line(store), '--workers', '2', '--max-requests', '5'])
  expect(shared).toMatchObject({ code: 1 })
  expect(shared.stderr).toContain('--max-requests: the limit is of one process')
  const detached = await runCli([...line(store), '--detach', '--html', join(folder, 'report.html')])
  expect(detached).toMatchObject({ code: 1 })
  expect(detached.stderr).toContain('pipeline report RUN --html FILE')
})
