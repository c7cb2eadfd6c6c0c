import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { runCli } from '../support/cli.js'
import { completion, startFakeOpenai, type Fault, type SeenRequest } from '../support/fake-openai.js'
import { temporaryFolder } from '../support/store.js'
import { writeTextTask } from '../support/text-task.js'

const docs = 500

/** Which fault each question causes, by its number, and how often. */
const faults: readonly { readonly share: number; readonly fault: Fault; readonly class: string }[] = [
  { share: 25, fault: { status: 500 }, class: 'server' },
  { share: 10, fault: 'reset', class: 'server' },
  { share: 5, fault: 'malformed', class: 'server' },
  { share: 5, fault: 'truncated', class: 'server' },
  { share: 5, fault: 'empty-choices', class: 'server' },
  { share: 5, fault: { status: 400 }, class: 'invalid_request' },
]
const empty = 5

const questionOf = ({ text }: SeenRequest): string =>
  (JSON.parse(text) as { messages: { content: string }[] }).messages.at(-1)!.content
/** Faults are spread over the docs, between answers. */
const placeOf = (request: SeenRequest): number => (Number(questionOf(request).split(' ')[1]) * 7) % docs

function faultAt(place: number): Fault | undefined {
  let below = empty
  for (const { share, fault } of faults) {
    below += share
    if (place >= empty && place < below) return fault
  }
  return undefined
}

interface Results {
  readonly tasks: { readonly echoes: { readonly exact_match: { readonly value: number; readonly n: number } } }
  readonly failures: readonly { readonly class: string; readonly message: string }[]
}

const scored = (n: number) => ({ tasks: { echoes: { exact_match: { n, empty } } } })
const countBy = (classes: readonly string[]): Readonly<Record<string, number>> =>
  Object.fromEntries([...new Set(classes)].map(name => [name, classes.filter(one => one === name).length]))

test('with a server that fails in all ways, items end answered or classed, and the same command completes them', async () => {
  let isHealed = false
  const server = await startFakeOpenai({
    fault: request => (isHealed ? undefined : faultAt(placeOf(request))),
    answer: request => (placeOf(request) < empty ? completion('') : questionOf(request)),
  })
  onTestFinished(() => server.close())
  const folder = await temporaryFolder()
  const task = await writeTextTask(join(folder, 'task'), docs)
  const store = join(folder, 'store')
  const line = [
    ...['eval', '--tasks', task, '--store', store, '--model', 'openai', '--concurrency', '32'],
    ...['--model-args', `model=m,base_url=${server.url},max_retries=1`],
  ]
  const results = async (): Promise<Results> =>
    JSON.parse((await runCli(['report', 'last', '--json', '--store', store])).stdout) as Results
  const failing = faults.reduce((sum, { share }) => sum + share, 0)
  const permanent = faults.filter(fault => fault.class === 'invalid_request').reduce((sum, { share }) => sum + share, 0)

  const first = await runCli(line)
  expect(first.code).toBe(2)
  expect(first.stderr).toContain(`run incomplete: ${failing} of ${docs} docs failed`)
  for (const { share, class: name } of faults) expect(first.stderr).toMatch(new RegExp(`^ +${share}  ${name} `, 'm'))
  const broken = await results()
  expect(countBy(broken.failures.map(failure => failure.class))).toEqual({
    server: failing - permanent,
    invalid_request: permanent,
  })
  expect(broken).toMatchObject(scored(docs - failing))
  // Only answers are right: the target of two of three docs is their question, which no fault returns.
  const answered = Array.from({ length: docs }, (_, doc) => doc).filter(doc => faultAt((doc * 7) % docs) === undefined)
  const { value, n } = broken.tasks.echoes.exact_match
  expect(Math.round(value * n)).toBe(answered.filter(doc => doc % 3 !== 0 && (doc * 7) % docs >= empty).length)

  isHealed = true
  const before = server.stats().requests
  const second = await runCli(line)
  expect(second.code).toBe(2)
  expect(second.stderr).toContain(`run incomplete: ${permanent} of ${docs} docs failed`)
  expect(server.stats().requests - before).toBe(failing - permanent)
  expect(await results()).toMatchObject(scored(docs - permanent))

  const third = await runCli([...line, '--retry-failed'])
  expect(third.code).toBe(0)
  expect(await results()).toMatchObject({ ...scored(docs), failures: [] })
})
