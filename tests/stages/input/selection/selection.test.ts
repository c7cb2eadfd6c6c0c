import { Readable } from 'node:stream'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { PreparedTask } from '../../../../stages/input/prepare-task.js'
import type { Doc } from '../../../../stages/input/tasks/doc.js'
import {
  computeDocRange,
  listDocs,
  refuseEmptySelection,
  selectionProblems,
  type Selection,
} from '../../../../stages/input/selection/selection.js'
import { refuseUnknownDocs } from '../../../../stages/input/selection/named-docs.js'
import { typed, typedRefusal } from '../../../support/typed.js'

/** The part of a task that selection reads. With `isCounted`, its file states the number of docs. */
const prepared = (docs: number, isCounted = true): PreparedTask => {
  const given: Pick<PreparedTask, 'task' | 'docs' | 'count'> = {
    task: 't',
    docs: () =>
      Readable.from(Array.from({ length: docs }, (_, index) => ({ id: `id-${index}` }))) as AsyncIterable<Doc>,
    ...(isCounted ? { count: docs } : {}),
  }
  return given as PreparedTask
}

async function chosen(selection: Selection, docs = 10, isCounted = true): Promise<readonly number[]> {
  const { start, end, only } = await computeDocRange(selection, prepared(docs, isCounted), 't')
  return Array.from({ length: docs }, (_, index) => index).filter(
    index => index >= start && index < end && only?.has(index) !== false,
  )
}

test('a limit may apply to one task, with another limit for the rest', async () => {
  expect(await chosen({ limit: { t: 2, '*': 5 } })).toEqual([0, 1])
  expect(await chosen({ limit: { u: 2, '*': 3 } })).toEqual([0, 1, 2])
  expect(await chosen({ limit: { u: 2 } })).toHaveLength(10)
  expect(await chosen({ limit: { t: -1, '*': 3 } })).toHaveLength(10)
})

describe('a subset', () => {
  test('is drawn with its seed, in order, after the offset', async () => {
    const drawn = await chosen({ subset: 20, subsetSeed: 1, offset: 50 }, 100)
    expect(drawn).toHaveLength(20)
    expect(drawn[0]).toBeGreaterThanOrEqual(50)
    expect(drawn).toEqual([...drawn].sort((a, b) => a - b))
    expect(await chosen({ subset: 20, subsetSeed: 1, offset: 50 }, 100, false)).toEqual(drawn)
    expect(await chosen({ subset: 20, subsetSeed: 2, offset: 50 }, 100)).not.toEqual(drawn)
    expect(await chosen({ subset: 0.25 }, 10)).toHaveLength(3)
  })

  test('keeps most of its docs when docs are added', async () => {
    const before = await chosen({ subset: 100 }, 1_000)
    const after = new Set(await chosen({ subset: 100 }, 1_050))
    expect(before.filter(index => !after.has(index)).length).toBeLessThan(15)
  })

  test('is pinned', async () => {
    expect(await chosen({ subset: 5 }, 100)).toMatchInlineSnapshot(`
      [
        15,
        44,
        46,
        87,
        99,
      ]
    `)
  })
})

test('shards are disjoint, cover the selection and are similar in size', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.record({
        docs: fc.integer({ min: 1, max: 60 }),
        of: fc.integer({ min: 1, max: 7 }),
        rest: fc.constantFrom<Selection>(
          {},
          { limit: 17 },
          { offset: 3, limit: 20 },
          { subset: 13 },
          { samples: { t: [0, 'id-0'] } },
        ),
      }),
      async ({ docs, of, rest }) => {
        const all = await chosen(rest, docs)
        const parts = await Promise.all(
          Array.from({ length: of }, (_, part) => chosen({ ...rest, shard: { index: part + 1, of } }, docs)),
        )
        expect(parts.flat().sort((a, b) => a - b)).toEqual(all)
        const sizes = parts.map(part => part.length)
        expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(1)
      },
    ),
  )
})

describe('samples', () => {
  test('are named by index or id', async () => {
    expect(await chosen({ samples: { t: [7, 'id-3', 3, 0] } })).toEqual([0, 3, 7])
    expect(await chosen({ samples: { '*': [7] } }, 10, false)).toEqual([7])
  })

  test('that do not exist are rejected', async () => {
    const unknown = chosen({ samples: { t: [1, 10, 'id-12'] } })
    await expect(unknown).rejects.toMatchObject({
      message: 'samples: task t has no doc with the id "id-12", the index 10 (it has 10 docs, the first is 0)',
      options: ['samples'],
      reason: 'doc-unknown',
      data: { task: 't', docs: 10, ids: ['id-12'], indices: [10] },
    })
    expect(await typedRefusal(unknown)).toMatch(/^--samples: task t has no doc with /)
    await expect(chosen({ samples: { t: ['id-3', 'id-10'] } })).rejects.toThrow('task t has no doc with the id "id-10"')
  })
})

describe('a limit by a field', () => {
  const sizes = { rare: 1, some: 9, most: 90 }
  const rows = Object.entries(sizes).flatMap(([kind, size]) => Array.from({ length: size }, () => ({ kind })))
  const task = { docs: () => Readable.from(rows) as AsyncIterable<Doc>, count: rows.length } as PreparedTask
  const draw = async (selection: Selection): Promise<readonly number[]> => listDocs(selection, task, 't')
  const countKinds = (indices: readonly number[]): object =>
    Object.fromEntries(Object.keys(sizes).map(kind => [kind, indices.filter(at => rows[at]?.kind === kind).length]))

  test('gives each value its share and at least one doc', async () => {
    expect(countKinds(await draw({ limit: 20, limitBy: 'kind' }))).toEqual({ rare: 1, some: 2, most: 17 })
    expect(countKinds(await draw({ limit: 3, limitBy: 'kind' }))).toEqual({ rare: 1, some: 1, most: 1 })
    expect(countKinds(await draw({ limit: 2, limitBy: 'kind' }))).toEqual({ rare: 0, some: 0, most: 2 })
    expect(await draw({ limit: 0.1, limitBy: 'kind' })).toHaveLength(10)
    expect(await draw({ limit: 500, limitBy: 'kind' })).toHaveLength(100)
  })

  test('draws the same docs for the same seed, and others for another seed', async () => {
    const first = await draw({ limit: 20, limitBy: 'kind', subsetSeed: 1 })
    expect(await draw({ limit: 20, limitBy: 'kind', subsetSeed: 1 })).toEqual(first)
    expect(await draw({ limit: 20, limitBy: 'kind', subsetSeed: 2 })).not.toEqual(first)
  })

  test('suggests the nearest field if no doc has the field', async () => {
    await expect(draw({ limit: 2, limitBy: 'kinds' })).rejects.toThrow(/no doc of task t has .*Did you mean "kind"/)
  })
})

describe('docs', () => {
  test('are selected by ids and patterns', async () => {
    expect(await chosen({ docs: ['id-3', 'id-1?'] }, 13)).toEqual([3, 10, 11, 12])
    expect(await chosen({ docs: ['t/id-[45]', 'u/*'] })).toEqual([4, 5])
    expect(await chosen({ docs: ['id-7, id-2'] })).toEqual([2, 7])
    expect(await chosen({ docs: ['id-9'], shard: { index: 1, of: 2 } })).toEqual([9])
  })

  const tasks = ['t', 'u'].map(name => ({ ...prepared(3), task: name }))

  test('are rejected if no task has them, and so is a task without any', async () => {
    await refuseUnknownDocs(['id-2'], tasks)
    await refuseUnknownDocs(['t/id-0', 'u/id-1'], tasks)
    await expect(refuseUnknownDocs(['id-1', 'id-8,id-9'], tasks)).rejects.toMatchObject({
      message: expect.stringContaining('docs: no doc of t, u has the id "id-8", "id-9"') as string,
      reason: 'doc-unknown',
    })
    await expect(refuseUnknownDocs(['t/id-0'], tasks)).rejects.toThrow('docs: no doc of the task u is named')
  })
})

test.each<[Selection, RegExp]>([
  [{ limit: 0 }, /--limit 0: expected a whole number from 1, or a share/],
  [{ limit: 1.5 }, /--limit 1\.5: expected/],
  [{ limit: { mine: 1 } }, /--limit: no task "mine" is evaluated\. Did you mean "mine2"\?/],
  [{ offset: -1 }, /--offset -1: expected a whole number from 0/],
  [{ subset: -3 }, /--subset -3: expected/],
  [{ subsetSeed: 3 }, /--subset-seed: also give --subset N/],
  [{ limit: 3, subset: 3 }, /--limit and --subset: both say how many docs/],
  [{ samples: { mine2: [1] }, limit: 2 }, /--samples says which docs are evaluated: leave --limit out/],
  [{ samples: { other: [1] } }, /--samples: no task "other" is evaluated/],
  [{ samples: { mine2: [] } }, /--samples: no docs of the task mine2 are named/],
  [{ limitBy: 'a' }, /--limit-by: also give --limit N/],
  [{ limitBy: 'a', limit: 2, offset: 1 }, /--limit-by draws from all docs: leave --offset out/],
  [{ docs: ['a'], limit: 2 }, /--docs says which docs are evaluated: leave --limit out/],
  [{ docs: ['a'], samples: { mine2: [1] } }, /--samples says which docs are evaluated: leave --docs out/],
  [{ docs: [' '] }, /--docs: no docs are named/],
  [{ shard: { index: 0, of: 4 } }, /--shard 0\/4: expected i\/n with i from 1 to n/],
  [{ shard: { index: 5, of: 4 } }, /--shard 5\/4: expected/],
])('rejects an invalid selection: %j', (selection, message) => {
  expect(typed(selectionProblems(selection, ['mine2']).join('\n'))).toMatch(message)
})

test('rejects an empty shard, because it would look like a finished evaluation', async () => {
  await refuseEmptySelection('t', { shard: { index: 3, of: 8 } }, prepared(3, false))
  expect(await typedRefusal(refuseEmptySelection('t', { shard: { index: 4, of: 8 } }, prepared(3, false)))).toBe(
    '--shard 4/8: task t has 3 docs, and this part has none of those that are selected',
  )
  const skipped = refuseEmptySelection('t', { offset: 3 }, prepared(3))
  expect(await typedRefusal(skipped)).toBe('--offset 3: task t has 3 docs, and the first is 0')
  await expect(skipped).rejects.toMatchObject({
    message: 'offset: 3: task t has 3 docs, and the first is 0',
    reason: 'selection-empty',
    data: { task: 't', docs: 3 },
  })
})
