import { expect, test } from 'vitest'
import { Columns, type IndexedSample } from '../../../../cache/sqlite/index/columns.js'
import { DocsOfRuns, type RunPart } from '../../../../cache/sqlite/index/docs-of-runs.js'
import { docKinds, docKindTest, type DocKind, type DocOrder } from '../../../../src/reading/samples/doc-kinds.js'

type Doc = Pick<IndexedSample, 'identity'> & Partial<IndexedSample>

/** A run with docs in the given order. */
function part(docs: readonly Doc[], { isLower = false }: { readonly isLower?: boolean } = {}): RunPart {
  const columns = new Columns()
  for (const [index, doc] of docs.entries())
    columns.add({
      ...{
        task: 0,
        index,
        tokens: undefined,
        characters: undefined,
        durationMs: undefined,
        cost: undefined,
        labels: {},
        metric: 'acc',
        value: null,
      },
      ...{ outcome: 'scored', isEmpty: false, isCut: false, isDisputed: false },
      ...doc,
    })
  return {
    columns,
    positions: Int32Array.from(docs.keys()),
    tasks: ['shapes'],
    isLowerBetter: () => isLower,
  }
}

const values = (...given: readonly (number | null)[]): RunPart =>
  part(given.map((value, identity) => ({ identity: identity + 1, value })))

const ask = (parts: readonly RunPart[], only: DocKind = 'all', sort: DocOrder = 'doc', offset = 0, limit = 100) =>
  new DocsOfRuns().find(parts, {
    kind: docKindTest(only),
    counted: docKinds.map(docKindTest),
    sort,
    offset,
    limit,
  })

const indices = (found: ReturnType<typeof ask>, run = 0): readonly (number | undefined)[] =>
  found.docs.map(({ places }) => places[run]?.index)

test('counts the docs of each kind, and finds those on which runs disagree', () => {
  const runs = [values(1, 1, 0, 0, null), values(1, 0, 0, 1, 1), values(1, 0, 0, 1, 1)]
  expect(ask(runs).counts).toEqual({ all: 5, disagree: 2, 'all-right': 1, 'all-wrong': 1, unscored: 1 })
  expect(indices(ask(runs, 'disagree'))).toEqual([1, 3])
  expect(ask(runs, 'disagree').docs.map(({ right, wrong }) => [right, wrong])).toEqual([
    [1, 2],
    [2, 1],
  ])
})

test('lists the largest disagreement first, ties in dataset order, and docs with fewer than two values last', () => {
  const runs = [values(null, 1, 1, 1), values(1, 1, 1, 1), values(null, 1, 0, 0), values(null, 1, 0, 1)]
  const found = ask(runs, 'all', 'disagreement')
  expect(indices(found)).toEqual([2, 3, 1, 0])
  expect(found.docs.map(({ disagreement }) => disagreement)).toEqual([1, 0.75, 0, null])
  expect(indices(ask(runs, 'all', 'disagreement', 1, 2))).toEqual([3, 1])
  expect(indices(ask(runs, 'all', 'hardest'))).toEqual([0, 2, 3, 1])
})

test('pairs docs by their identity whatever their order, and docs with equal ids by their order', () => {
  const first = part([
    { identity: 7, value: 1 },
    { identity: 8, value: 0 },
    { identity: 7, value: 0 },
  ])
  const second = part([
    { identity: 9, value: 1 },
    { identity: 7, value: 0 },
    { identity: 7, value: 1 },
    { identity: 8, value: 0 },
  ])
  const { docs, total } = ask([first, second])
  expect(total).toBe(4)
  expect(docs.map(({ places }) => places.map(place => place?.index ?? null))).toEqual([
    [0, 1],
    [1, 3],
    [2, 2],
    [null, 0],
  ])
})

test('counts the lowest value as right if lower is better', () => {
  const runs = [
    part([{ identity: 1, value: 0 }], { isLower: true }),
    part([{ identity: 1, value: 3 }], { isLower: true }),
  ]
  expect(ask(runs).docs).toMatchObject([{ right: 1, wrong: 1 }])
})

test('normalizes disagreement by the range of a metric, so that scales of 1 and 100 are comparable', () => {
  const wide = (value: number): Doc => ({ identity: 1, value, metric: 'points', task: 1 })
  const narrow = (value: number): Doc => ({ identity: 2, value })
  const withTasks = (docs: readonly Doc[]): RunPart => ({ ...part(docs), tasks: ['shapes', 'points'] })
  const runs = [withTasks([wide(100), narrow(0)]), withTasks([wide(60), narrow(1)])]
  const found = ask(runs, 'all', 'disagreement')
  expect(indices(found)).toEqual([1, 0])
  expect(found.docs[1]?.disagreement).toBeCloseTo(0.16)
})

test('does not compare values of different metrics', () => {
  const runs = [
    part([{ identity: 1, value: 1, metric: 'acc' }]),
    part([{ identity: 1, value: 0, metric: 'f1' }]),
    part([{ identity: 1, value: 1, metric: 'acc' }]),
  ]
  expect(ask(runs).docs).toMatchObject([{ right: 2, wrong: 1, disagreement: 0 }])
})

test("finds a doc if one run's sample passes the filter", () => {
  const [first, second] = [values(1, 1, 1), values(0, 0, 0)]
  const runs = [
    { ...first, positions: Int32Array.from([0]) },
    { ...second, positions: Int32Array.from([2]) },
  ]
  expect(indices(ask(runs))).toEqual([0, 2])
})

test('notices that the columns of a run grew since the last query', () => {
  const docs = new DocsOfRuns()
  const question = { kind: docKindTest('all'), counted: [], sort: 'doc', offset: 0, limit: 10 } as const
  const run = values(1)
  expect(docs.find([run, run], question).total).toBe(1)
  run.columns.add({
    ...{
      task: 0,
      index: 1,
      tokens: undefined,
      characters: undefined,
      durationMs: undefined,
      cost: undefined,
      labels: {},
      metric: 'acc',
      value: 0,
    },
    ...{ outcome: 'scored', isEmpty: false, isCut: false, isDisputed: false, identity: 5 },
  })
  const grown = { ...run, positions: Int32Array.from([0, 1]) }
  expect(docs.find([grown, grown], question).total).toBe(2)
})
