import { mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { defineReport } from '../../../../src/cli/commands/report/report.js'
import { assess, evaluate, exportRun, mockModel, report } from '../../../../src/index.js'
import { runCommand } from '../../../support/command.js'

const docs = 60
let folder = ''
let task = ''
let store = ''
/** Names of runs that answer 30, 50 and again 30 of 60 docs rightly, each the same docs. */
let runs = { half: '', most: '', again: '' }

async function answer(right: number, model: string): Promise<string> {
  const mock = mockModel({ model, reply: ({ text }) => (Number(text) < right ? 'yes' : 'no') })
  return (await evaluate({ store, model: mock, tasks: [task] })).run.name
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pipeline-test-'))
  store = join(folder, 'store')
  task = join(folder, 'q.yaml')
  await writeFile(
    task,
    'task: q\ndataset_path: ./docs.jsonl\ndoc_to_text: "{{n}}"\ndoc_to_target: a\nmetric_list: [{metric: exact_match}]\n',
  )
  const rows = Array.from({ length: docs }, (_, n) => JSON.stringify({ n: String(n), a: 'yes' }))
  await writeFile(join(folder, 'docs.jsonl'), rows.join('\n'))
  runs = { half: await answer(30, 'half'), most: await answer(50, 'most'), again: await answer(30, 'again') }
})

afterAll(() => rm(folder, { recursive: true, force: true }))

test('compares a run with a run of the store doc by doc, and decides gates by that', async () => {
  const gates = ['q.exact_match >= 0.8', 'q.exact_match > baseline + 0.4', '* better', '*.* not worse by 0.1']
  const { baseline, gates: found } = await assess(runs.most, { store, baseline: runs.half, gates })
  const [row] = baseline?.rows ?? []
  expect(row).toMatchObject({ task: 'q', metric: 'exact_match', baseline: 0.5, verdict: 'better', isPaired: true })
  expect(row?.difference).toBeCloseTo(20 / 60, 12)
  expect(row?.p).toBeCloseTo(7.744216431e-6, 12)
  expect(found.map(({ passed }) => passed)).toEqual([true, false, true, true])
  expect(found[1]).toMatchObject({ value: 50 / 60, bound: 0.9, reason: '0.833 is not > 0.900' })
})

test('a run that lost fails `not worse`, and an equal one passes it', async () => {
  const gates = ['q.exact_match not worse', 'q.exact_match better']
  const lost = await assess(runs.half, { store, baseline: runs.most, gates })
  expect(lost.gates.map(({ passed }) => passed)).toEqual([false, false])
  const same = await assess(runs.again, { store, baseline: runs.half, gates })
  expect(same.gates.map(({ passed, reason }) => [passed, reason])).toEqual([
    [true, 'no doc differs from the baseline'],
    [false, 'no doc differs from the baseline'],
  ])
})

test('an exported run is a baseline, and leaves nothing in the store', async () => {
  const file = join(folder, 'half.pipeline')
  await exportRun(runs.half, file, { store })
  const other = join(folder, 'other')
  const own = await evaluate({ store: other, model: 'dummy', modelArgs: { mode: 'fixed', text: 'yes' }, tasks: [task] })
  const { baseline } = await assess(own, { baseline: file })
  expect(baseline?.rows).toMatchObject([{ baseline: 0.5, difference: 0.5, isPaired: true }])
  await expect(report(runs.half, { store: other })).rejects.toThrow('no run')
})

test.each(['lmms-eval', 'lm-eval'])(
  'compares results of %s doc by doc if their samples are beside them',
  async tool => {
    const dir = join(folder, tool)
    await runCommand(defineReport, [runs.half, '--store', store, '-o', dir, '--log-samples', '--format', tool])
    const files = await readdir(dir)
    const results = files.find(name => name.includes('results') && name.endsWith('.json')) ?? ''
    const { baseline } = await assess(runs.most, { store, baseline: join(dir, results) })
    expect(baseline?.rows).toMatchObject([{ baseline: 0.5, isPaired: true, verdict: 'better' }])
    expect(baseline?.rows[0]?.p).toBeCloseTo(7.744216431e-6, 12)
    expect(baseline?.label).toContain(results)
    for (const name of files) if (name.endsWith('.jsonl')) await rm(join(dir, name))
    expect((await assess(runs.most, { store, baseline: join(dir, results) })).baseline?.rows).toMatchObject([
      { baseline: 0.5, isPaired: false, verdict: 'better' },
    ])
  },
)

test('reports a missing file', async () => {
  await expect(assess(runs.most, { store, baseline: join(folder, 'nothing.json') })).rejects.toThrow(
    'is no file that is there',
  )
})

test('uses results JSON of this program and of lmms-eval as unpaired baselines', async () => {
  const [own, theirs] = [join(folder, 'results.json'), join(folder, 'lmms.json')]
  await writeFile(own, JSON.stringify(await report(runs.half, { store })))
  const lmms = { results: { q: { alias: 'q', 'exact_match,none': 0.5, 'exact_match_stderr,none': 0.065 } } }
  await writeFile(theirs, JSON.stringify(lmms))
  for (const file of [own, theirs]) {
    const { baseline } = await assess(runs.most, { store, baseline: file })
    const [row] = baseline?.rows ?? []
    expect(row).toMatchObject({ baseline: 0.5, isPaired: false, verdict: 'better' })
    // Two means of 60 docs: √(0.5·0.5/59 + (5/6)(1/6)/59) = 0.0811.
    expect(((row?.interval?.[1] ?? 0) - (row?.interval?.[0] ?? 0)) / 2 / 1.96).toBeCloseTo(0.081, 2)
    expect(baseline?.notes.join()).toContain('not compared one by one')
  }
})

test('rejects unusable conditions and says what to do', async () => {
  await expect(assess(runs.most, { store, gates: ['q.exact_match not worse'] })).rejects.toThrow('also give baseline')
  await expect(assess(runs.most, { store, baseline: 'no-such-run' })).rejects.toThrow('no run')
  const file = join(folder, 'empty.json')
  await writeFile(file, '{}')
  await expect(assess(runs.most, { store, baseline: file })).rejects.toThrow('no scores are in it')
  await writeFile(file, (await readFile(file, 'utf8')).slice(1))
  await expect(assess(runs.most, { store, baseline: file })).rejects.toThrow("can't be read as results JSON")
})

test('exported scores alone are a baseline that is paired doc by doc', async () => {
  const file = join(folder, 'scores.pipeline')
  await exportRun(runs.half, file, { store, only: 'scores' })
  const { baseline } = await assess(runs.most, { store, baseline: file })
  expect(baseline?.rows[0]).toMatchObject({ baseline: 0.5, verdict: 'better', isPaired: true })
  expect(baseline?.rows[0]?.p).toBeCloseTo(7.744216431e-6, 12)
  expect(baseline?.notes).toEqual([])
})

test('rejects a file that is not an export as a baseline', async () => {
  const file = join(folder, 'broken.pipeline')
  await writeFile(file, 'no bundle')
  await expect(assess(runs.most, { store, baseline: file })).rejects.toThrow('is not a bundle')
})

test('a gate on a missing score fails, and lists the existing ones', async () => {
  const { gates } = await assess(runs.most, { store, gates: ['q.acc >= 0'] })
  expect(gates).toEqual([
    expect.objectContaining({ passed: false, value: null, reason: expect.stringContaining('q.exact_match') as string }),
  ])
})
