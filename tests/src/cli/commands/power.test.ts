import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { definePower } from '../../../../src/cli/commands/comparing/power.js'
import { evaluate, planComparison, planFromRuns, type PowerPlan } from '../../../../src/index.js'
import { computeClusteredPower } from '../../../../stages/judge/statistics/power/clustered-power.js'
import { runCommand } from '../../../support/command.js'
import { temporaryFolder } from '../../../support/store.js'

test('the default plan has the docs of the score test of pairs, in library and command', async () => {
  const plan = planComparison()
  expect(plan.neededDocs).toBe(2180)
  const { data } = await runCommand(definePower, ['--json'])
  expect(JSON.parse(data)).toEqual({ format: 1, ...plan })
  const { text } = await runCommand(definePower, [])
  expect(text).toContain('2,180 docs to find a difference of 0.030')
})

test('reports the power and the smallest detectable difference of given docs', async () => {
  const { text } = await runCommand(definePower, ['--n', '1000', '--correlation', '0.9'])
  expect(text).toMatch(/1,000 docs find it with a power of 99\.\d %/)
  const { current } = planComparison({ docs: 1000, correlation: 0.9 })
  expect(planComparison({ effect: current?.detectable, correlation: 0.9 }).neededDocs).toBe(1000)
})

test('clusters reduce the power as in simulations', () => {
  // A plan that ignores clusters, of 2,181 docs for 80 %: see power-lost-to-clusters of the golden simulations.
  const effect = 0.03 / 0.5
  expect(computeClusteredPower({ effect, n: 2181, sizes: 1, icc: 0.3 })).toBeCloseTo(0.8, 2)
  expect(computeClusteredPower({ effect, n: 2181, sizes: 3, icc: 0.3 })).toBeCloseTo(0.6, 1)
  expect(computeClusteredPower({ effect, n: 2181, sizes: 10, icc: 0.3 })).toBeCloseTo(0.3, 1)
  const plan = planComparison({ clusterSize: 3, icc: 0.3 })
  expect(plan.designEffect).toBeCloseTo(1.6, 12)
  expect(computeClusteredPower({ effect, n: plan.neededDocs, sizes: 3, icc: 0.3 })).toBeGreaterThanOrEqual(0.8)
})

test('the number of clusters and the cluster size are equivalent', async () => {
  const byCount = await runCommand(definePower, ['--n', '900', '--clusters', '300', '--icc', '0.3', '--json'])
  const bySize = await runCommand(definePower, ['--n', '900', '--cluster-size', '3', '--icc', '0.3', '--json'])
  expect(JSON.parse(byCount.data)).toEqual(JSON.parse(bySize.data))
})

test('prints a line per task, and leaves a task without its size out with a note', async () => {
  const { text, told } = await runCommand(definePower, ['--tasks', 'mme=2374,small=100,mmmu'])
  expect(text).toMatch(/mme +2,374 +83(\.\d)? % +0\.029 +yes/)
  expect(text).toMatch(/small +100 .* no/)
  expect(told).toContain('mmmu left out')
})

test('--parity lmms-eval prints the text of lmms-eval', async () => {
  const { text } = await runCommand(definePower, ['--parity', 'lmms-eval', '--effect-size', '0.03'])
  expect(text).toContain('Minimum sample size:     n = 2181')
  const { data } = await runCommand(definePower, ['--parity', 'lmms-eval', '--current-n', '1000', '--json'])
  expect(JSON.parse(data)).toMatchObject({ min_n: 2181, current_power: 0.475, min_detectable_effect: 0.0443 })
})

test.each([
  [['--effect', '0'], '--effect: expected a difference other than 0'],
  [['--correlation', '2'], '--correlation: expected a number from -1 to 1'],
  [['--correlation', '1'], 'no variance'],
  [['--clusters', '5'], 'also give --n DOCS'],
  [['--n', '100', '--clusters', '5', '--cluster-size', '2'], 'one of them can be given'],
  [['--tasks', 'mme=many'], 'expected NAME=DOCS'],
  [['--power', '0.01'], 'must be above alpha'],
] as const)('rejects %j and says what to do', async (words, message) => {
  await expect(runCommand(definePower, words)).rejects.toThrow(message)
})

/** Stores two runs on 40 questions in 10 clusters. The answer is right where the doc's flag for the model says so. */
async function storeRuns() {
  const folder = await temporaryFolder()
  const [task, store] = [join(folder, 'q.yaml'), join(folder, 'store')]
  const docs = Array.from({ length: 40 }, (_, i) => ({
    q: String(i),
    scene: `scene ${Math.floor(i / 4)}`,
    target: i % 8 < 4 || i % 5 === 0 ? '1' : i % 3 === 0 ? '2' : '3',
  }))
  await writeFile(join(folder, 'docs.jsonl'), docs.map(doc => `${JSON.stringify(doc)}\n`).join(''))
  await writeFile(
    task,
    'task: q\ndataset_path: ./docs.jsonl\ndoc_to_text: "{{q}}"\ndoc_to_target: target\ncluster_key: scene\nmetric_list: [{metric: exact_match}]\n',
  )
  for (const text of ['1', '2'])
    await evaluate({ store, model: 'dummy', modelArgs: { mode: 'fixed', text }, tasks: [task] })
  return store
}

test('a stored run gives the variance and clusters, and two runs the variance of the differences', async () => {
  const store = await storeRuns()
  const alone = await planFromRuns(['last~1'], { store, effect: 0.1 })
  const plan = alone.tasks[0]?.plan as PowerPlan
  expect(alone.tasks[0]).toMatchObject({ task: 'q', metric: 'exact_match', docs: 40 })
  expect(plan.clusterSize).toBe(4)
  expect(plan.icc).toBeGreaterThan(0.3)
  expect(plan.correlation).toBe(0.5)
  const both = await planFromRuns(['last~1', 'last'], { store, effect: 0.1 })
  const paired = both.tasks[0]?.plan as PowerPlan
  expect(paired.correlation).toBeLessThan(0)
  expect(paired.stdOfDifferences).toBeCloseTo(
    Math.sqrt(paired.stdA ** 2 + paired.stdB ** 2 - 2 * paired.correlation * paired.stdA * paired.stdB),
    12,
  )
  const words = ['--run', 'last~1', '--run', 'last', '--effect', '0.1', '--store', store]
  expect(JSON.parse((await runCommand(definePower, [...words, '--json'])).data)).toEqual({ format: 1, ...both })
  const { text } = await runCommand(definePower, words)
  expect(text).toContain('docs needed')
  expect(text).toContain('those of the differences of')
})

test('a run whose docs all have the same score has no plan, with the reason', async () => {
  const folder = await temporaryFolder()
  await writeFile(join(folder, 'docs.jsonl'), '{"q":"a"}\n{"q":"b"}\n')
  const task = join(folder, 'q.yaml')
  await writeFile(
    task,
    'task: q\ndataset_path: ./docs.jsonl\ndoc_to_text: q\ndoc_to_target: q\nmetric_list: [{metric: exact_match}]\n',
  )
  const store = join(folder, 'store')
  await evaluate({ store, model: 'dummy', modelArgs: { mode: 'fixed', text: 'x' }, tasks: [task] })
  const { text } = await runCommand(definePower, ['--run', 'last', '--store', store])
  expect(text).toContain('q exact_match has no plan. All docs have the same score')
})

test('a metric without variance has no plan, with the reason', async () => {
  const store = await storeRuns()
  const { text } = await runCommand(definePower, ['--run', 'last', '--run', 'last', '--store', store])
  expect(text).toContain('q exact_match has no plan')
  await expect(
    runCommand(definePower, ['--run', 'last', '--run', 'last', '--run', 'last', '--store', store]),
  ).rejects.toThrow('there are 3')
})

test('an effect of 1 or more is refused for shares, and taken with a standard deviation of another scale', () => {
  for (const effect of [1, 2, -2]) expect(() => planComparison({ effect })).toThrow('differ by less than 1')
  expect(planComparison({ effect: 2, stdA: 20 }).neededDocs).toBeGreaterThan(100)
})
