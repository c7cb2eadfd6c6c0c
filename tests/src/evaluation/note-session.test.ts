import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { openStore } from '../../../cache/open.js'
import type { Run } from '../../../cache/records.js'
import type { Store } from '../../../cache/store.js'
import { noteSession } from '../../../src/evaluation/note-session.js'
import { stoppedSession } from '../../../src/reading/runs/session-end.js'
import type { EvalOutcome } from '../../../src/config/settings.js'
import { abortBecause } from '../../../src/evaluation/stopping/why-stopped.js'
import { defineTask, evaluate, jsonl } from '../../../src/index.js'
import { counts } from '../../support/report-data.js'
import { temporaryFolder, temporaryStore, testRun } from '../../support/store.js'

const never = new AbortController().signal
const stages = { input: true, model: true, judge: false }
const known = { hooks: { drain: never, stop: never }, stages, hide: (text: string) => text }

const outcomeOf = (run: Run, pending = 0): EvalOutcome => ({
  run,
  isNew: true,
  counts: counts({ pending }),
  elapsedMs: 1,
  asked: 1,
  fromStore: 0,
  failures: [],
  unjudged: 0,
})

async function scene(): Promise<{ readonly store: Store; readonly other: Store; readonly run: Run }> {
  const store = await temporaryStore()
  const run = await testRun(store)
  return { store, other: await openStore(store.location, { access: 'read' }), run }
}

test('records a request to stop at once, because a kill may follow', async () => {
  const { store, run } = await scene()
  const drain = new AbortController()
  await noteSession({ ...known, hooks: { drain: drain.signal, stop: never }, store, run }, async session => {
    await session.begin()
    drain.abort(abortBecause('the signal SIGTERM'))
    await store.probe()
    expect(await stoppedSession(store, run)).toMatchObject({
      code: 'interrupted',
      message: 'It was interrupted: the signal SIGTERM.',
    })
    return outcomeOf(run)
  })
  // The run finished in spite of the signal.
  expect(await stoppedSession(store, run)).toBeUndefined()
})

test('the process leaves the run when its last session of the run ends', async () => {
  const { store, other, run } = await scene()
  const inner = (): Promise<EvalOutcome> =>
    noteSession({ ...known, store, run }, async session => {
      await session.begin()
      return outcomeOf(run, 1)
    })
  await noteSession({ ...known, store, run }, async session => {
    await session.begin()
    await store.docs.lease(run, 0)
    await inner()
    expect(await other.runs.isWorkedOnElsewhere(run)).toBe(true)
    return outcomeOf(run, 1)
  })
  expect(await other.runs.isWorkedOnElsewhere(run)).toBe(false)
  expect(await stoppedSession(other, run)).toMatchObject({ code: 'requests_left' })
  await other.close()
})

test('rethrows an error and stores its reason', async () => {
  const { store, run } = await scene()
  const broken = new Error('the sky fell')
  const failing = noteSession({ ...known, store, run }, () => Promise.reject(broken))
  await expect(failing).rejects.toBe(broken)
  expect(await stoppedSession(store, run)).toMatchObject({
    code: 'failed',
    message: 'Internal error: the sky fell.',
  })
})

test('reports docs that cannot be read as an input error', async () => {
  const folder = await temporaryFolder()
  const rows = Array.from({ length: 500 }, (_, row) =>
    JSON.stringify({ question: row === 450 ? 7 : `question ${row}` }),
  )
  await writeFile(join(folder, 'docs.jsonl'), rows.join('\n'))
  await writeFile(join(folder, 'typed.task.ts'), '// the code of the task below\n')
  const task = defineTask({
    name: 'typed',
    module: join(folder, 'typed.task.ts'),
    dataset: jsonl('./docs.jsonl', { schema: z.object({ question: z.string() }) }),
    prompt: doc => doc.question,
    metrics: { any: () => 1 },
  })
  const dir = join(folder, 'store')
  await expect(evaluate({ store: dir, model: 'dummy', tasks: [task] })).rejects.toThrow(/row 450/)
  const store = await openStore(dir, { access: 'read' })
  const run = await store.runs.newest()
  expect(await stoppedSession(store, run!)).toMatchObject({
    code: 'input_error',
    message: expect.stringMatching(/docs\.jsonl: row 450, field question: .*\.$/) as string,
  })
  await store.close()
})
