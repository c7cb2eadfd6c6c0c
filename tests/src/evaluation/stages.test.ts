import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { StageEvent } from '../../../cache/events.js'
import { watchOthers } from '../../../src/evaluation/watch-others.js'
import { evaluate } from '../../../src/index.js'
import { temporaryFolder } from '../../support/store.js'
import { virtualClock } from '../../support/virtual-clock.js'

test('reads docs and scores their stored answers in a new run without requests', async () => {
  const folder = await temporaryFolder()
  const rows = Array.from({ length: 400 }, (_, index) => JSON.stringify({ q: `question ${index}` }))
  await writeFile(join(folder, 'rows.jsonl'), rows.join('\n'))
  await writeFile(
    join(folder, 'task.yaml'),
    'task: own\ndataset_path: ./rows.jsonl\ndoc_to_text: q\ndoc_to_target: q\nmetric_list: [{metric: exact_match}]\n',
  )
  const asked = {
    store: join(folder, 'store'),
    model: 'dummy',
    modelArgs: { mode: 'echo' },
    tasks: [join(folder, 'task.yaml')],
  } as const
  await evaluate({ ...asked, limit: 300 })

  const stages = { input: true, model: false, judge: true }
  const part = await evaluate({ ...asked, limit: 250, stages })
  expect(part.counts).toMatchObject({ docs: 250, answered: 250, pending: 0 })
  expect(part.judgement?.aggregates).toMatchObject([{ value: 1, n: 250 }])

  // Docs without a stored answer stay open, and are counted.
  const whole = await evaluate({ ...asked, stages })
  expect(whole.counts).toMatchObject({ docs: 400, answered: 300, pending: 100 })
  expect(whole.judgement?.aggregates).toMatchObject([{ n: 300, total: 400 }])
})

test('reports answers of other processes, even after the store failed for a moment', async () => {
  const clock = virtualClock()
  const versions: (number | Error)[] = [1, new Error('the connection was lost'), 1, 2, 2]
  const store = {
    dataVersion: () => {
      const next = versions.shift()
      return typeof next === 'number' ? Promise.resolve(next) : Promise.reject(next ?? new Error('asked too often'))
    },
    runs: { counts: () => Promise.resolve({ answered: 5 }) },
  }
  const events: StageEvent[] = []
  const watched = { store, run: {}, hooks: { emit: (event: StageEvent) => events.push(event) } }
  const stop = watchOthers(watched as unknown as Parameters<typeof watchOthers>[0], clock)
  await clock.advance(4_000)
  expect(events).toEqual([])
  await clock.advance(4_000)
  expect(events).toEqual(Array(2).fill({ type: 'run-counts', counts: { answered: 5 } }))
  stop()
  await clock.advance(60_000)
  expect(versions).toEqual([])
  expect(clock.pending).toBe(0)
})
