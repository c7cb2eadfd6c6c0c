import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, onTestFinished, test } from 'vitest'
import { runCli, startCli, type Started } from '../support/cli.js'
import { dumpOf } from '../support/crash.js'
import { spawnFakeOpenai, type FakeOpenaiProcess } from '../support/fake-openai-process.js'
import { committedAnswers, lookInto } from '../support/store-look.js'
import { temporaryFolder } from '../support/store.js'
import { writeTextTask } from '../support/text-task.js'

const docs = 120
const concurrency = 8

interface Running extends Started {
  readonly server: FakeOpenaiProcess
  readonly store: string
  readonly line: (store: string) => readonly string[]
}

/** A run with all slots in use, whose server answers only on request. */
async function running(): Promise<Running> {
  const server = await spawnFakeOpenai(['--latency', '20', '--answers', String(3 * concurrency)])
  onTestFinished(() => server.stop())
  const folder = await temporaryFolder()
  const task = await writeTextTask(join(folder, 'task'), docs)
  const store = join(folder, 'store')
  const line = (where: string): readonly string[] => [
    ...['eval', '--tasks', task, '--store', where, '--model', 'openai', '--concurrency', String(concurrency)],
    ...['--model-args', `model=m,base_url=${server.url}`],
  ]
  const started = startCli(line(store))
  while ((await server.stats()).requests < 4 * concurrency && started.child.exitCode === null) await sleep(5)
  return { ...started, server, store, line }
}

const resumeLine =
  /interrupted: (\d+) of 120 answered, all kept\. {3}resume: {2}pipeline (resume ([a-z]+-[a-z]+-[0-9a-f]{4}) --store \S+)/

/** The first signal was received. */
async function untilTold({ child, told }: Running): Promise<void> {
  while (!told().includes('in flight') && child.exitCode === null) await sleep(5)
}

/** Runs the command that the interrupted run printed. */
async function resumed(stderr: string, { store }: Running): Promise<void> {
  const [, , command = ''] = resumeLine.exec(stderr) ?? []
  expect(command).not.toBe('')
  expect(await runCli(command.split(' '))).toMatchObject({ code: 0 })
  expect(lookInto(store)).toMatchObject({ responses: docs, verdicts: docs, finishedJudgements: 1 })
}

describe.each(['SIGINT', 'SIGTERM'] as const)('%s', signal => {
  test('once finishes requests in flight, prints the resume command, and nothing is sent twice', async () => {
    const run = await running()
    run.child.kill(signal)
    await untilTold(run)
    await run.server.allow(Infinity)
    const ended = await run.ended
    expect(ended).toMatchObject({ code: 130, signal: null })
    expect(ended.stderr).toMatch(/finishing (\d+ requests?|what is) in flight \(Ctrl-C again to stop now\)/)
    const { requests, distinct } = await run.server.stats()
    expect(lookInto(run.store).responses).toBe(requests)
    expect(requests).toBe(4 * concurrency)
    expect(Number(resumeLine.exec(ended.stderr)?.[1])).toBe(distinct)
    await resumed(ended.stderr, run)
    expect(await run.server.stats()).toMatchObject({ requests: docs, distinct: docs })
    const calm = join(run.store, '../calm')
    expect(await runCli(run.line(calm))).toMatchObject({ code: 0 })
    expect(await dumpOf(run.store)).toBe(await dumpOf(calm))
  })

  test('twice stops at once, and no received answer is lost', async () => {
    const run = await running()
    const before = committedAnswers(run.store).size
    run.child.kill(signal)
    // Two signals at the same moment would count as one.
    await untilTold(run)
    run.child.kill(signal)
    const ended = await run.ended
    expect(ended).toMatchObject({ code: 130, signal: null })
    const { requests } = await run.server.stats()
    const { responses } = lookInto(run.store)
    expect(responses).toBeGreaterThanOrEqual(before)
    expect(requests - responses).toBe(concurrency)
    await run.server.allow(Infinity)
    await resumed(ended.stderr, run)
    const after = await run.server.stats()
    expect(after.distinct).toBe(docs)
    expect(after.requests - docs).toBe(requests - responses)
  })
})

test('a signal after the last answer does not make a finished run an interrupted one', async () => {
  const store = join(await temporaryFolder(), 'store')
  const line = [
    'eval',
    '--model',
    'dummy',
    '--tasks',
    await writeTextTask(join(store, '../task'), 2000),
    '--store',
    store,
  ]
  const { child, ended } = startCli(line)
  while (lookInto(store).finishedJudgements === 0 && child.exitCode === null) await sleep(1)
  child.kill('SIGINT')
  const { code } = await ended
  expect([0, 130]).toContain(code)
  expect(await runCli(line)).toMatchObject({ code: 0 })
})
