import { describe, expect, test } from 'vitest'
import type { BatchStatus } from '../../../../stages/model/batch/batch-client.js'
import { Budget } from '../../../../stages/model/budget/budget.js'
import { answersOf, dies, failing, nextProcess, onceEach, scene, start, texts } from '../../../support/batch-scene.js'
import { typed } from '../../../support/typed.js'

type Scene = Awaited<ReturnType<typeof scene>>
type Process = ReturnType<typeof start>

const notesOf = ({ events }: Process): readonly string[] =>
  events.flatMap(event => (event.type === 'note' ? [event.text] : []))

const refused = (reason: string): BatchStatus => ({ state: 'refused', reason, done: 0, failed: 0 })
const sizes = ({ lane }: Scene): readonly number[] => lane.made.map(({ entries }) => entries.length)

describe('results that are truncated between two lines', () => {
  test('are downloaded again, and nothing is lost or billed twice', async () => {
    const here = await scene(300)
    here.lane.cut = [219, 250]
    const process = start(here)
    expect(await process.end()).toEqual({ ended: 'finished', answered: 300, failed: 0 })
    expect(here.lane.log.filter(step => step === 'results')).toHaveLength(3)
    expect(here.lane.billed).toEqual(onceEach(300))
  })

  test('and incomplete at every download leave the batch open, with advice', async () => {
    const here = await scene(5)
    here.lane.cut = Array.from({ length: 100 }, () => 3)
    await expect(start(here).end()).rejects.toThrow(
      /^batch batch-1: 3 results came, and the provider counts 5, at every download\. Those that came are kept\.\n.*--forget [0-9a-f]{12}$/,
    )
    expect(await here.store.batches.open(here.run)).toMatchObject([{ open: 2 }])
    here.lane.cut = []
    await nextProcess(here)
    expect(await start(here).end()).toMatchObject({ answered: 2, failed: 0 })
    expect(here.lane.billed).toEqual(onceEach(5))
  })

  test('are compared with the number of requests if the provider gives no counts', async () => {
    const here = await scene(5)
    here.lane.counts = false
    here.lane.cut = [3]
    expect(await start(here).end()).toMatchObject({ answered: 5, failed: 0 })
    expect(here.lane.billed).toEqual(onceEach(5))
  })
})

test('reports two different results of one request and keeps the first, but not equal ones', async () => {
  const here = await scene(3)
  here.lane.again.set('question 0', 'question 0').set('question 1', 'something else')
  const process = start(here)
  expect(await process.end()).toMatchObject({ answered: 3 })
  expect(await answersOf(here.store, here.run)).toEqual(texts(3).map(text => `re ${text}`))
  expect(notesOf(process)).toContainEqual(
    expect.stringMatching(
      /^batch batch-1 has two different results for 1 request \(\w{12}-\w{48}\): the first of each is kept$/,
    ),
  )
})

describe('batches that the provider rejected', () => {
  const most = { requests: 1, bytes: 1_000_000 }

  test('of an earlier command are submitted again once, without their uploads', async () => {
    const here = await scene(3)
    here.lane.looks = 3
    await start(here, { most, waits: false }).end()
    const before = here.lane.made.length
    here.lane.said = ({ id }) => (Number(id.slice(6)) <= before ? refused('no such model') : undefined)
    await nextProcess(here)
    const process = start(here, { most })
    expect(await process.end()).toMatchObject({ answered: 3, failed: 0 })
    expect(sizes(here)).toEqual([1, 1, 1, 1, 1, 1])
    expect(here.lane.discarded).toHaveLength(3)
    expect(notesOf(process)[0]).toBe(
      'the provider refused batch batch-1 of 1 request: no such model. They are submitted again',
    )
  })

  test('of this command end it with all rejected requests, and nothing more is submitted', async () => {
    const here = await scene(4)
    here.lane.said = ({ id }) =>
      id === 'batch-1' ? { ...refused(''), state: 'working' } : refused(`no model for ${id}`)
    await expect(start(here, { most }).end()).rejects.toThrow(/batch batch-2 of 1 request: no model for batch-2/)
    expect(sizes(here)).toEqual([1, 1])
    expect(await here.store.batches.open()).toMatchObject([{ id: 'batch-1' }])
    expect(here.lane.discarded).toHaveLength(1)
  })

  test('make the next batch wait until the provider accepts the one before', async () => {
    const here = await scene(2)
    let checks = 3
    here.lane.said = ({ id }) =>
      id === 'batch-1' && checks-- > 0 ? { state: 'working', isChecking: true, done: 0, failed: 0 } : undefined
    await start(here, { most }).end()
    const second = here.lane.log.lastIndexOf('submit')
    expect(here.lane.log.slice(0, second).filter(step => step === 'status')).toHaveLength(4)
    expect(here.lane.billed).toEqual(onceEach(2))
  })

  test('are submitted again, with a note, even if their upload cannot be removed', async () => {
    const here = await scene(1)
    await start(here, { waits: false }).end()
    here.lane.said = ({ id }) => (id === 'batch-1' ? refused('no') : undefined)
    here.lane.before = dies('discard')
    const process = start(here)
    expect(await process.end()).toMatchObject({ answered: 1 })
    expect(notesOf(process)).toContainEqual(
      expect.stringMatching(/^the uploaded requests file-\w+ .* could not be removed: killed$/),
    )
  })
})

describe('a limit on enqueued requests', () => {
  /** Rejects each batch that would exceed the limit of enqueued requests. */
  const limited = (here: Scene, holds: number, reason = 'the queue is full') => {
    const taken = new Set<string>()
    const met: string[] = []
    here.lane.said = batch => {
      if (met.includes(batch.id)) return { ...refused(reason), isQueueFull: true }
      const queued = here.lane.made.filter(({ id, status }) => taken.has(id) && status.state !== 'ended')
      const used = queued.reduce((sum, { entries }) => sum + entries.length, 0)
      if (!taken.has(batch.id) && used + batch.entries.length > holds) {
        met.push(batch.id)
        return { ...refused(reason), isQueueFull: true }
      }
      taken.add(batch.id)
      return undefined
    }
    return met
  }

  test('is reached once by several batches, which are then submitted one at a time', async () => {
    const here = await scene(6)
    here.lane.looks = 3
    const met = limited(here, 3)
    const process = start(here, { most: { requests: 2, bytes: 1_000_000 } })
    expect(await process.end()).toMatchObject({ answered: 6, failed: 0 })
    expect(met).toHaveLength(1)
    expect(await answersOf(here.store, here.run)).toEqual(texts(6).map(text => `re ${text}`))
    expect(here.lane.discarded).toHaveLength(1)
    expect(notesOf(process)).toContainEqual(
      'the provider refused batch batch-2 of 2 requests: the queue is full. From now on one batch at a time is submitted, of 2 requests at most',
    )
  })

  test('is reached at submission, too, and the batch is submitted again after the one before', async () => {
    const here = await scene(2)
    here.lane.looks = 3
    here.lane.before = step => {
      const isFull = here.lane.made.length === 1 && here.lane.made[0]?.status.state === 'working'
      if (step === 'submit' && isFull) throw failing('rate_limited')
    }
    const process = start(here, { most: { requests: 1, bytes: 1_000_000 } })
    expect(await process.end()).toMatchObject({ answered: 2, failed: 0 })
    expect(here.lane.billed).toEqual(onceEach(2))
    expect(notesOf(process)).toContain(
      'a batch of 1 request was not taken: says rate_limited. From now on one batch at a time is submitted',
    )
  })

  test('that the provider names sets the size of smaller batches', async () => {
    const here = await scene(100)
    const met = limited(here, 12, 'Enqueued token limit reached for m. Limit: 100 enqueued tokens.')
    expect(await start(here).end()).toMatchObject({ answered: 100, failed: 0 })
    expect(met.length).toBeLessThanOrEqual(2)
    expect(Math.max(...sizes(here).slice(met.length))).toBeLessThanOrEqual(12)
  })

  test('that rejects a single request ends the work in the provider’s words', async () => {
    const here = await scene(4)
    limited(here, 0)
    await expect(start(here).end()).rejects.toThrow(
      /the provider refused batch batch-3 of 1 request: the queue is full/,
    )
    expect(sizes(here)).toEqual([4, 2, 1])
    expect(await here.store.batches.open()).toEqual([])
  })
})

describe('a budget of a command', () => {
  /** The estimate is at most 14 tokens for a question and 1,024 for an answer; in fact both have one. */
  const budget = (tokens: number) => {
    const drain = new AbortController()
    const made = new Budget({
      limits: { tokens },
      say: () => `--max-tokens-total ${tokens}`,
      clock: { now: () => 0, wallNow: () => 0, after: () => () => undefined },
      onStop: () => drain.abort(),
    })
    return { made, drain }
  }

  test('that held a batch back is used up once answers show what they cost', async () => {
    const here = await scene(30)
    here.lane.answer = text => ({
      body: { text: `re ${text}`, finishReason: 'stop' },
      usage: { inputTokens: 8, outputTokens: 2 },
    })
    const { made, drain } = budget(200)
    const process = start(here, {}, { gate: made.gate(), drain: drain.signal })
    expect(await process.end()).toMatchObject({ answered: 20 })
    expect(made.spent).toMatchObject({ requests: 20, tokens: 200 })
    expect(made.stopped?.message).toBe('--max-tokens-total 200: 200 used, the next may be too much')
    expect(notesOf(process)).toContain(
      'a limit holds back the other requests until the answers of these batches tell what they cost',
    )
  })

  test('does not count requests that a rejected batch did not send', async () => {
    const here = await scene(2)
    await start(here, { waits: false }).end()
    let isFirst = true
    here.lane.said = ({ id }) => {
      if (id !== 'batch-2' || !isFirst) return id === 'batch-1' ? refused('no') : undefined
      isFirst = false
      return { ...refused('full'), isQueueFull: true }
    }
    const { made, drain } = budget(10_000)
    expect(await start(here, {}, { gate: made.gate(), drain: drain.signal }).end()).toMatchObject({ answered: 2 })
    expect(made.spent.requests).toBe(2)
  })
})

test('a run without batches says which requests it waits for and how to give them up', async () => {
  const here = await scene(2)
  await start(here, { waits: false }).end()
  await nextProcess(here)
  here.lane.looks = 3
  const process = start(here, { submits: false })
  expect(await process.end()).toMatchObject({ answered: 2 })
  expect(typed(notesOf(process)[0]!)).toMatch(
    /^2 requests in batch batch-1 of an earlier command \(--batch\) are waited for, and not asked one by one: .*--forget \w{12}$/,
  )
  expect(notesOf(process).filter(text => text.includes('one by one'))).toHaveLength(1)
})

test('the command that cancels a batch is stored with it', async () => {
  const here = await scene(1)
  await start(here, { waits: false }).end()
  await nextProcess(here)
  expect(await here.store.batches.open()).toMatchObject([{ id: 'batch-1', cancelling: 'provider cancel batch-1' }])
})
