import { readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { defineBlame } from '../../../../src/cli/commands/comparing/blame.js'
import { blame, compare, evaluate, rescore } from '../../../../src/index.js'
import { runCommand } from '../../../support/command.js'
import { temporaryFolder } from '../../../support/store.js'

const docs = Array.from({ length: 12 }, (_, n) => ({ q: `q${n}`, a: n % 3 === 0 ? 'Yes' : 'no' }))

/** A task of twelve docs whose rule and prompt can be changed. */
async function writeScene() {
  const folder = await temporaryFolder()
  const [store, task] = [join(folder, 'store'), join(folder, 'task.yaml')]
  await writeFile(join(folder, 'docs.jsonl'), docs.map(doc => `${JSON.stringify(doc)}\n`).join(''))
  const write = ({
    metric = 'exact_match',
    rule = '',
    prompt = '{{q}}',
  }: {
    readonly metric?: string
    readonly rule?: string
    readonly prompt?: string
  }) =>
    writeFile(
      task,
      `task: t\ndataset_path: ./docs.jsonl\ndoc_to_text: "${prompt}"\ndoc_to_target: a\nmetric_list: [{metric: ${metric}${rule}}]\n`,
    )
  await write({})
  const ask = (text: string) => evaluate({ store, model: 'dummy', modelArgs: { mode: 'fixed', text }, tasks: [task] })
  return {
    store,
    task,
    write,
    ask,
    sum: (effects: readonly { readonly effect: number }[]) => effects.reduce((all, { effect }) => all + effect, 0),
  }
}

test('separates the effects of another model and another rule, which add up', async () => {
  const { store, write, ask, sum } = await writeScene()
  const first = await ask('no')
  await write({ rule: ', ignore_case: true' })
  const second = await ask('yes')
  const { metrics, notes } = await blame(first.run.name, second.run.name, { store })
  expect(notes).toEqual([])
  const [metric] = metrics
  // no: 8 of 12 by either rule. yes: 0 by the old rule, 4 by the new one.
  expect(metric).toMatchObject({ task: 't', metric: 'exact_match', n: 12, leftOut: 0 })
  expect(metric?.difference).toBeCloseTo(-4 / 12, 12)
  const effects = new Map(metric?.factors.map(({ factor, effect }) => [factor, effect]))
  expect([...effects.keys()]).toEqual(['model', 'rules'])
  expect(effects.get('model')).toBeCloseTo((-8 / 12 + -4 / 12) / 2, 12)
  expect(effects.get('rules')).toBeCloseTo((0 + 4 / 12) / 2, 12)
  expect(sum(metric?.factors ?? [])).toBeCloseTo(metric?.difference ?? 0, 12)
  expect(metric?.factors.every(({ interval }) => interval !== null)).toBe(true)

  const { text } = await runCommand(defineBlame, [first.run.name, second.run.name, '--store', store])
  expect(text).toMatch(/t exact_match +0\.667 → 0\.333 +−0\.333 +12 docs/)
  expect(text).toMatch(/model +−0\.500 .*\n *rules of scoring +\+0\.167/)
  const { data } = await runCommand(defineBlame, [first.run.name, second.run.name, '--store', store, '--json'])
  expect(JSON.parse(data)).toMatchObject({ format: 1, metrics: [{ n: 12 }] })
})

test('applies rules that score attempts to the attempts that gave the answers', async () => {
  const { store, task, write, ask } = await writeScene()
  await write({ metric: 'latency', rule: ', max: 600' })
  const first = await ask('no')
  await write({ metric: 'latency', rule: ', max: 1e-9' })
  const second = await ask('yes')
  const told = {
    notes: [],
    metrics: [
      {
        factors: [
          { factor: 'model', effect: 0 },
          { factor: 'rules', effect: -1 },
        ],
      },
    ],
  }
  expect(await blame(first.run.name, second.run.name, { store })).toMatchObject(told)
  // Uses the rules stored with the runs.
  await rm(task)
  expect(await blame(first.run.name, second.run.name, { store })).toMatchObject(told)
})

test('a single factor explains the whole difference, and two judgements differ only in rules', async () => {
  const { store, task, write, ask } = await writeScene()
  const [first, second] = [await ask('no'), await ask('Yes')]
  expect((await blame(first.run.name, second.run.name, { store })).metrics).toMatchObject([
    { factors: [{ factor: 'model', effect: expect.closeTo(-4 / 12, 12) as number }] },
  ])
  await write({ rule: ', ignore_case: true' })
  const third = await ask('yes')
  await write({})
  await rescore(third.run.name, { store, tasks: [task] })
  const { metrics } = await blame(`${third.run.name}@1`, `${third.run.name}@2`, { store })
  expect(metrics).toMatchObject([{ factors: [{ factor: 'rules', effect: expect.closeTo(-4 / 12, 12) as number }] }])
})

test('model and prompt that changed together are one factor until the store has the mixed answers', async () => {
  const { store, write, ask } = await writeScene()
  const first = await ask('no')
  await write({ prompt: 'Think. {{q}}' })
  const second = await ask('Yes')
  const joint = await blame(first.run.name, second.run.name, { store })
  expect(joint.metrics).toMatchObject([{ factors: [{ factor: 'model + prompt' }] }])
  expect(joint.notes).toEqual([expect.stringContaining('12 of 12 docs have no stored answer to a mixed request')])
  // Adds the other two mixtures.
  await ask('no')
  await write({})
  await ask('Yes')
  const told = await blame(first.run.name, second.run.name, { store })
  expect(told.notes).toEqual([])
  expect(told.metrics).toMatchObject([
    {
      factors: [
        { factor: 'model', effect: expect.closeTo(-4 / 12, 12) as number },
        { factor: 'prompt', effect: 0, interval: null },
      ],
    },
  ])
})

test('a single factor has the same interval as the comparison of the runs', async () => {
  const { store, ask } = await writeScene()
  const [first, second] = [await ask('no'), await ask('other')]
  const compared = await compare(first.run.name, second.run.name, { store })
  const { metrics } = await blame(first.run.name, second.run.name, { store })
  expect(compared.metrics[0]?.interval).toBeDefined()
  expect(metrics[0]?.factors[0]?.interval).toEqual(compared.metrics[0]?.interval)
})

test('separates corrected targets from another model', async () => {
  const { store, task, ask, sum } = await writeScene()
  const first = await ask('no')
  const file = join(dirname(task), 'docs.jsonl')
  await writeFile(file, (await readFile(file, 'utf8')).replace('"q0","a":"Yes"', '"q0","a":"no"'))
  const second = await ask('Yes')
  const { metrics } = await blame(first.run.name, second.run.name, { store })
  const [metric] = metrics
  // no: 8, then 9 of 12. Yes: 4, then 3 of 12.
  expect(metric?.difference).toBeCloseTo(-5 / 12, 12)
  expect(metric?.factors).toMatchObject([
    { factor: 'model', effect: expect.closeTo(-5 / 12, 12) as number },
    { factor: 'targets', effect: expect.closeTo(0, 12) as number },
  ])
  expect(sum(metric?.factors ?? [])).toBeCloseTo(metric?.difference ?? 0, 12)
})

test('an error for runs without a common doc says what to choose', async () => {
  const { store, task, ask } = await writeScene()
  const first = await ask('no')
  await writeFile(task, (await readFile(task, 'utf8')).replace('task: t', 'task: other'))
  const second = await ask('no')
  await expect(blame(first.run.name, second.run.name, { store })).rejects.toThrow('have no doc with a score in common')
})

test('a changed field that is no target is not told as targets', async () => {
  const { store, task, ask } = await writeScene()
  const first = await ask('no')
  const file = join(dirname(task), 'docs.jsonl')
  await writeFile(file, (await readFile(file, 'utf8')).replace('"q":"q0"', '"q":"q zero"'))
  const second = await ask('Yes')
  await writeFile(task, (await readFile(task, 'utf8')).replace('{{q}}', 'Answer {{a | length}}.'))
  const [third, fourth] = [await ask('no'), await ask('Yes')]
  const factors = async (a: typeof first, b: typeof first) =>
    (await blame(a.run.name, b.run.name, { store })).metrics.map(metric => metric.factors.map(({ factor }) => factor))
  expect(await factors(first, second)).toEqual([['model + prompt']])
  expect(await factors(third, fourth)).toEqual([['model']])
  await writeFile(file, (await readFile(file, 'utf8')).replace('"q":"q zero"', '"q":"q nought"'))
  const fifth = await ask('Yes')
  // Neither the prompt nor the score shows the field.
  expect(await factors(third, fifth)).toEqual([['model']])
  expect(await factors(fourth, fifth)).toEqual([['fields']])
})
