/** Mistakes of clients are rejected at once, in the terms of the request. */
import { expect, test } from 'vitest'
import { appScene } from './scene.js'

const job = { model: 'dummy', model_args: { mode: 'fixed', text: 'yes' }, tasks: ['mmmu_val'], limit: 20 }

interface Refusal {
  readonly detail: string
  readonly problems?: readonly string[]
}

const refusalOf = async (answer: Response): Promise<readonly [number, Refusal]> => [
  answer.status,
  (await answer.json()) as Refusal,
]

/** Texts of the schema library. */
const foreign = /Invalid input|Unrecognized|Too (small|big)|received|to match pattern/

test('an idempotency key with the same request returns the first job', async () => {
  const { submit } = await appScene()
  const key = { 'idempotency-key': 'step-1000' }
  const [first, again] = [await submit(job, key), await submit({ ...job, labels: {} }, key)]
  const ids = [first, again].map(async answer => ((await answer.json()) as { readonly job_id: string }).job_id)
  expect(new Set(await Promise.all(ids)).size).toBe(1)
})

test.each([
  [{ limit: 30 }, 'limit is 20 there and 30 here'],
  [{ limit: null }, 'limit is 20 there and absent here'],
  [{ model_args: { mode: 'fixed', text: 'no' } }, 'model_args.text is "yes" there and "no" here'],
  [{ tasks: ['mmmu_val', 'mme'] }, 'tasks is ["mmmu_val"] there and ["mmmu_val","mme"] here'],
  [{ priority: 5 }, 'priority is 0 there and 5 here'],
  [{ labels: { team: 'vision' } }, 'labels.team is absent there and "vision" here'],
  [{ num_fewshot: 2 }, 'num_fewshot is absent there and 2 here'],
])('rejects an idempotency key with another request (%j), with the first difference', async (change, difference) => {
  const { submit, service } = await appScene()
  const key = { 'idempotency-key': 'step-1000' }
  expect((await submit(job, key)).status).toBe(200)
  const [status, { detail }] = await refusalOf(await submit({ ...job, ...change }, key))
  expect(status).toBe(422)
  expect(detail).toContain(difference)
  expect(await service.store.jobs.counts()).toMatchObject({ queued: 1 })
})

test('rejects an unknown model and unknown tasks together, with the nearest names', async () => {
  const { submit, service } = await appScene()
  const [status, { problems = [] }] = await refusalOf(
    await submit({ model: 'opnai', tasks: ['mmmu_vall', 'mmmu_val', 'nothing_like_this*'] }),
  )
  expect(status).toBe(422)
  expect(problems).toEqual([
    expect.stringMatching(/^model: .*opnai.*openai/) as string,
    'tasks: there is no task "mmmu_vall". Did you mean "mmmu_val"?',
    expect.stringMatching(/^tasks: there is no task "nothing_like_this\*"/) as string,
  ])
  expect(problems.join('\n')).not.toMatch(/pipeline |--/)
  expect(await service.store.jobs.counts()).toMatchObject({ queued: 0 })
})

test.each([
  [{ limt: 3 }, /^limt: .*"limit"/],
  [{ limit: 'many' }, /^limit: /],
  [{ store: '/tmp' }, /^store: /],
  [{ python: '/bin/sh' }, /^python: /],
  [{ model_args: { api_key: 'sk-1' } }, /api_key/],
])('a request with %j says of an unknown model and task, too', async (change, problem) => {
  const { submit } = await appScene()
  const [status, { problems = [] }] = await refusalOf(await submit({ model: 'opnai', tasks: ['mmmu_vall'], ...change }))
  expect(status).toBe(422)
  expect(problems).toEqual([
    expect.stringMatching(problem) as string,
    expect.stringMatching(/^model: .*opnai.*openai/) as string,
    'tasks: there is no task "mmmu_vall". Did you mean "mmmu_val"?',
  ])
})

test.each([
  ['/jobs?limt=5', '"limt": there is no such parameter. Did you mean "limit"?'],
  ['/jobs?after=x', '"after": there is no such parameter.'],
  ['/runs?offset=5', '"offset": there is no such parameter.'],
  ['/runs/last/samples?onyl=wrong', '"onyl": there is no such parameter. Did you mean "only"?'],
  ['/labels?nxt=1', '"nxt": there is no such parameter.'],
  ['/tasks?q=mmmu', '"q": there is no such parameter.'],
  ['/queue?limit=1', '"limit": there is no such parameter.'],
  ['/metrics?format=json', '"format": there is no such parameter.'],
  ['/docs?q=jobs', '"q": there is no such parameter.'],
  ['/openapi.json?version=3', '"version": there is no such parameter.'],
  ['/jobs?limit=0', 'limit: expected a number of at least 1'],
  ['/jobs?limit=x', 'limit: expected a number'],
  ['/jobs?status=done', 'status: expected one of queued, running, completed, failed, cancelled, given a text'],
  ['/runs?cursor=x', 'cursor: expected a next_cursor'],
  ['/compare?a=last', 'b: is missing: expected a text'],
])('rejects %s: %s', async (path, problem) => {
  const { request } = await appScene()
  const [status, { detail }] = await refusalOf(await request(path))
  expect([status, detail]).toEqual([422, expect.stringContaining(problem)])
  expect(detail).not.toMatch(foreign)
})

test.each([
  { ...job, limit: 'many' },
  { ...job, priority: 3000 },
  { ...job, labels: { a: 3 } },
  { ...job, webhook: 'x' },
  { ...job, tasks: 3 },
  { tasks: ['mmmu_val'] },
  [],
  3,
])('no message of the schema library reaches a client of %j', async body => {
  const { submit } = await appScene()
  const [status, { detail }] = await refusalOf(await submit(body))
  expect(status).toBe(422)
  expect(detail).not.toMatch(foreign)
})

test('lists of jobs contain no results, and their pages have the same form', async () => {
  const { submit, request } = await appScene()
  for (const limit of [1, 2, 3]) await submit({ ...job, limit })
  interface Page {
    readonly jobs: readonly { readonly request: { readonly limit: number } }[]
    readonly next_cursor: string | null
  }
  const pageAt = async (query: string): Promise<Page> => (await (await request(`/jobs?limit=2${query}`)).json()) as Page
  const first = await pageAt('')
  const second = await pageAt(`&cursor=${first.next_cursor ?? ''}`)
  expect([...first.jobs, ...second.jobs].map(one => one.request.limit)).toEqual([3, 2, 1])
  expect(second.next_cursor).toBeNull()
  for (const one of first.jobs) expect(one).not.toHaveProperty('result')
})
