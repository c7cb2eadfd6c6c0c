import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import {
  AttemptError,
  compare,
  comparisonText,
  defineTask,
  evaluate,
  exportRun,
  importRun,
  infer,
  judge,
  mockModel,
  openStore,
  report,
  rescore,
  resume,
  rows,
} from '../../../src/index.js'
import { temporaryFolder } from '../../support/store.js'

const docs = ['red', 'blue', 'green'].map(colour => ({ id: colour, question: `Say ${colour}.`, answer: colour }))

async function setup() {
  const folder = await temporaryFolder()
  const module = join(folder, 'colours.task.ts')
  await writeFile(module, '// the code of the tasks below\n')
  const task = (metric: (text: string, target: string) => number | boolean) =>
    defineTask({
      name: 'colours',
      module,
      dataset: rows(docs),
      prompt: doc => doc.question,
      target: doc => doc.answer,
      metrics: { exact: ({ text, target }) => metric(text, target) },
    })
  return { folder, store: join(folder, 'store'), task, colours: task((text, target) => text === target) }
}

const sayRed = () => mockModel({ reply: () => 'red', version: '1' })

test('scores a run again by a changed metric without a request', async () => {
  const { store, colours, task } = await setup()
  const model = sayRed()
  const a = await evaluate({ store, model, tasks: [colours] })
  expect(a.of(colours).metrics.exact.value).toBeCloseTo(1 / 3)
  expect(model.calls).toHaveLength(3)
  const changed = task((text, target) => text.length === target.length)
  const again = await rescore(a, { tasks: [changed] })
  expect(again.of(changed).metrics.exact.value).toBeCloseTo(1 / 3)
  const always = task(() => true)
  expect((await rescore(a, { tasks: [always] })).run.id).toBe(a.run.id)
  expect(model.calls).toHaveLength(3)
})

test('answers of infer can be scored later', async () => {
  const { store, colours } = await setup()
  const asked = await infer({ store, model: sayRed(), tasks: [colours] })
  expect(asked.judgement).toBeUndefined()
  expect(() => asked.of(colours)).toThrow(/is not judged to its end/)
  await expect(report(asked, { format: 'csv' })).rejects.toThrow(`Score it: judge('${asked.run.name}')`)
  expect((await report(asked, { format: 'junit' })).match(/not judged yet/g)).toHaveLength(3)
  const scored = await judge(asked, { tasks: [colours] })
  expect(scored.of(colours).metrics.exact).toMatchObject({ n: 3 })
})

test('resumes a run that was stopped by a limit', async () => {
  const { store, colours } = await setup()
  const model = sayRed()
  const first = await evaluate({ store, model, tasks: [colours], maxRequests: 2 })
  expect(first.stopped).toBeDefined()
  expect(model.calls).toHaveLength(2)
  const resumed = await resume(first, { model, tasks: [colours] })
  expect(resumed).toMatchObject({ isNew: false, failures: [], asked: 1 })
  expect(resumed.run.id).toBe(first.run.id)
  expect(resumed.of(colours).metrics.exact.n).toBe(3)
})

test('compares two runs doc by doc, reports them, and copies them to another store', async () => {
  const { folder, store, colours } = await setup()
  const a = await evaluate({ store, model: sayRed(), tasks: [colours] })
  const right = mockModel({ reply: ({ text }) => text.slice(4, -1), version: '2' })
  const b = await evaluate({ store, model: right, tasks: [colours] })
  const compared = await compare(a, b)
  expect(compared).toMatchObject({
    a: a.run.name,
    b: b.run.name,
    metrics: [{ task: 'colours', metric: 'exact', n: 3 }],
  })
  expect(comparisonText(compared)).toContain('colours')
  expect(await report(b)).toMatchObject({ run: { name: b.run.name } })
  expect(await report(b, { format: 'text' })).toMatch(/colours +exact/)
  expect(await report(b, { format: 'junit' })).toContain('<testsuite name="colours" tests="3" failures="0"')
  expect((await report([a, b.run.name], { format: 'csv', store })).split('\r\n')).toHaveLength(4)
  expect(await report([a, b], { format: 'md' })).toContain('| colours | exact |')
  expect(await report(a, { format: 'latex' })).toContain('colours & exact &')
  const unchecked = report as (runs: unknown, options: unknown) => Promise<unknown>
  await expect(unchecked([a, b], { format: 'text' })).rejects.toThrow("format 'text' is of one run; 2 are given")
  await expect(unchecked(a, { format: 'html' })).rejects.toThrow('given the text "html"')
  const file = join(folder, 'run.pipeline')
  expect(await exportRun(b, file)).toMatchObject({ run: b.run.name, partial: false })
  const other = await openStore(join(folder, 'other'))
  expect(await importRun(file, { store: other })).toMatchObject({ isNew: true, run: { id: b.run.id } })
  expect(await compare(a, b.run.name, { store })).toEqual(compared)
  await other.close()
})

test('a second call in one process retries failures, and permanent ones with retryFailed', async () => {
  const { store, colours } = await setup()
  let isDown = true
  const model = mockModel({
    reply: ({ text }) => {
      if (!isDown) return 'red'
      if (text.includes('green')) throw new AttemptError('refused', 'not this one', { isRetryable: false })
      return text.includes('blue') ? new Error('out of service') : 'red'
    },
  })
  const opened = await openStore(store)
  const options = { store: opened, model, tasks: [colours] } as const
  const classes = (run: Awaited<ReturnType<typeof evaluate>>) =>
    run.failures.map(({ doc, failure }) => [doc, failure.class])
  const failing = await evaluate(options)
  expect(classes(failing)).toEqual([
    ['blue', 'server'],
    ['green', 'refused'],
  ])
  expect(await evaluate(options)).toMatchObject({ asked: 0, isNew: false, failures: [{}, {}] })
  isDown = false
  const mended = await evaluate(options)
  expect(mended).toMatchObject({ asked: 1, isNew: false })
  expect(classes(mended)).toEqual([['green', 'refused']])
  const whole = await evaluate({ ...options, retryFailed: true })
  expect(whole).toMatchObject({ asked: 1, failures: [] })
  expect(whole.of(colours).metrics.exact.n).toBe(3)
  await opened.close()
})
