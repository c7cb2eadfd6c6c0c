import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, afterAll, expect, test } from 'vitest'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { root, runCli, type Ended } from '../support/cli.js'

interface Metric {
  readonly value: number
  readonly n: number
  readonly groups?: readonly { readonly label: string; readonly value: number; readonly n: number }[]
}

interface Golden {
  readonly test: { readonly by_type: Readonly<Record<string, { readonly n: number; readonly exact_match: number }>> }
}

const config = join(root, 'examples/quickstart.yaml')
let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pipeline-quickstart-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const run = (...args: string[]): Promise<Ended> => runCli(args, { cwd: folder })
const metric = ({ stdout }: Ended, task: string, name: string): Metric =>
  (JSON.parse(stdout) as { tasks: Record<string, Record<string, Metric>> }).tasks[task]![name]!

test("the quick start reproduces its authors' score, repeats send nothing, and int8 does not differ clearly", async () => {
  const first = await run('eval', '--config', config)
  expect(first).toMatchObject({ code: 0 })
  expect(first.stdout).toMatch(/shapes_vqa +exact_match +0\.905 +0\.885 – 0\.922 +1,000 +100 %/)
  const scores = metric(await run('report', 'last', '--json'), 'shapes_vqa', 'exact_match')
  expect(scores.value).toBe(0.905)
  const golden = JSON.parse(readFileSync(join(root, 'examples/tinyvlm/golden/scores.json'), 'utf8')) as Golden
  const byType = (scores.groups ?? []).map(({ label, value, n }) => [
    label,
    { n, exact_match: Math.round(value * 1e4) / 1e4 },
  ])
  expect(Object.fromEntries(byType)).toEqual(golden.test.by_type)
  const again = await run('eval', '--config', config)
  expect(again.stdout).toMatch(/0\.905.*0 asked · 1,000 from store/s)

  const small = await run('eval', '--config', config, '--model-args', 'dtype=int8', '--json')
  expect(Math.abs(metric(small, 'shapes_vqa', 'exact_match').value - 0.911)).toBeLessThanOrEqual(0.005)
  const compared = await run('compare', 'last~1', 'last')
  expect(compared).toMatchObject({ code: 0 })
  expect(compared.stdout).toMatch(/shapes_vqa +exact_match +1,000 +0\.905 .*undecided/)
})

test("the multiple-choice variants reproduce their authors' scores, by text and by letter", async () => {
  const ended = await run('eval', '--config', config, '--tasks', 'shapes_vqa_choice,shapes_vqa_letter', '--json')
  expect(ended).toMatchObject({ code: 0 })
  expect(metric(ended, 'shapes_vqa_choice', 'acc').value).toBeCloseTo(0.989, 3)
  expect(metric(ended, 'shapes_vqa_letter', 'acc').value).toBeCloseTo(0.262, 3)
})
