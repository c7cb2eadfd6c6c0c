import { expect, test } from 'vitest'
import type { Aggregate } from '../../../cache/records.js'
import { readDestinations } from '../../../src/tracking/destinations.js'
import { cleanNames } from '../../../src/tracking/mlflow/limits.js'
import { sendRun } from '../../../src/tracking/track-run.js'
import { fakeMlflow } from '../../support/fake-mlflow.js'
import { aggregate } from '../../support/report-data.js'
import { temporaryStore } from '../../support/store.js'
import { viewedRun } from '../../support/viewed-run.js'

type Values = readonly { readonly key: string; readonly value: string | number }[]

/** Sends a run with these aggregates to a server. */
async function sender(config: Readonly<Record<string, string>> = {}) {
  const store = await temporaryStore()
  const opened = await viewedRun(store, [{ answer: 'blue' }, { answer: 'red' }], { provenance: { config } })
  return (url: string, aggregates: readonly Aggregate[], env: Readonly<Record<string, string>> = {}) => {
    const judgement = opened.judgement && { ...opened.judgement, aggregates }
    const destinations = readDestinations([{ name: 'mlflow', given: { uri: url, report: false } }], env)
    return sendRun(store, { run: opened.run, ...(judgement && { judgement }) }, destinations, {
      env,
      signal: new AbortController().signal,
    })
  }
}

const named = (requests: readonly { readonly path: string; readonly body: string }[], list: string): Values =>
  requests
    .filter(({ path }) => path.endsWith('runs/log-batch'))
    .flatMap(({ body }) => (JSON.parse(body) as Readonly<Record<string, Values | undefined>>)[list] ?? [])

test('a run becomes an MLflow run with metrics and files, once, and is updated if its scores changed', async () => {
  const { url, requests } = await fakeMlflow()
  const send = await sender()
  const states = []
  for (const value of [0.5, 0.5, 0.75]) states.push(...(await send(url, [aggregate({ value })])))
  expect(states.map(({ state }) => state)).toEqual(['sent', 'unchanged', 'updated'])
  expect(states[0]?.where).toBe(`${url}/#/experiments/1/runs/r1`)
  expect(requests.filter(({ path }) => path.endsWith('runs/create'))).toHaveLength(1)
  expect(named(requests, 'metrics').filter(({ key }) => key === 'shapes_vqa/exact_match')).toMatchObject([
    { value: 0.5 },
    { value: 0.75 },
  ])
  const files = requests.filter(({ path }) => path.includes('mlflow-artifacts')).map(({ path }) => path)
  expect(files).toContain('/api/2.0/mlflow-artifacts/artifacts/1/r1/artifacts/results.json')
  expect(files).toContain('/api/2.0/mlflow-artifacts/artifacts/1/r1/artifacts/samples_shapes_vqa.jsonl')
})

test('leaves out non-finite numbers, and uses names that a server accepts', async () => {
  const { url, requests } = await fakeMlflow()
  const send = await sender()
  await send(url, [
    aggregate({ metric: 'größe:a', value: Number.NaN, stderr: null }),
    aggregate({ metric: 'b', filter: 'strict-match', value: 1, stderr: Infinity }),
  ])
  const metrics = named(requests, 'metrics')
  expect(metrics.filter(({ value }) => typeof value !== 'number')).toEqual([])
  expect(metrics.filter(({ key }) => !/^[\p{L}\p{N}_\-. /]+$/u.test(key))).toEqual([])
  const names = metrics.map(({ key }) => key)
  expect(names.some(name => name.startsWith('shapes_vqa/größe_x3a_a'))).toBe(true)
  expect(names).toContain('shapes_vqa/b_strict-match')
})

test.each([
  ['t/exact_match,strict', 't/exact_match_strict'],
  ['t/acc/size=<5', 't/acc/size__x3c_5'],
  ['t/acc/size=>5', 't/acc/size__x3e_5'],
  ['t/acc/size=5', 't/acc/size_5'],
  ['t/acc/a=b=c', 't/acc/a_b_x3d_c'],
  ['t/pass@1', 't/pass_x40_1'],
  ['t/acc/язык=数学', 't/acc/язык_数学'],
  ['a_x3c_b', 'a_x5f_x3c_b'],
  ['/x/../y', '_/x/_x2e__x2e_/y'],
  ['a//b', 'a/_/b'],
  ['a (b)', 'a _x28_b_x29_'],
])('a name of MLflow depends on nothing else that is sent: %s', (name, cleaned) => {
  expect(cleanNames([name]).get(name)).toBe(cleaned)
  const others = ['t/acc/size=<5', 't/acc/size=>5', 't/acc/size=5', 't/pass@1', 't/pass#1', 'x', name, 'y'.repeat(400)]
  expect(cleanNames(others).get(name)).toBe(cleaned)
  expect(new Set(cleanNames(others).values()).size).toBe(new Set(others).size)
})

test('cuts a long name, and different ones stay different', () => {
  const [first = '', second = ''] = cleanNames(['x'.repeat(300), `${'x'.repeat(300)}y`]).values()
  expect(first.length).toBeLessThanOrEqual(250)
  expect(second).not.toBe(first)
  expect([...cleanNames([`${'x'.repeat(300)}y`]).values()]).toEqual([second])
})

test('sends the parameters of a run that an earlier command left without them, and only once', async () => {
  const { url, requests } = await fakeMlflow({ failing: 3 })
  const send = await sender()
  const states = []
  for (const value of [0.5, 0.5, 0.75]) states.push((await send(url, [aggregate({ value })]))[0]?.state)
  expect(states).toEqual(['failed', 'updated', 'updated'])
  const batches = requests.filter(({ path, body }) => path.endsWith('runs/log-batch') && body.includes('"params":[{'))
  expect(batches).toHaveLength(4)
  expect(requests.filter(({ path }) => path.endsWith('runs/create'))).toHaveLength(1)
})

test('sends more than a thousand numbers in several batches', async () => {
  const { url, requests } = await fakeMlflow()
  const send = await sender()
  await send(
    url,
    Array.from({ length: 300 }, (_, index) => aggregate({ metric: `m${index}` })),
  )
  const sizes = requests
    .filter(({ path }) => path.endsWith('log-batch'))
    .map(({ body }) => (JSON.parse(body) as { readonly metrics?: readonly unknown[] }).metrics?.length ?? 0)
  expect(Math.max(...sizes)).toBe(1_000)
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeGreaterThan(2_000)
})

test('shortens a long parameter to the limit of an older server', async () => {
  const { url, requests } = await fakeMlflow({ longestParameter: 500 })
  const send = await sender({ system_instruction: 'x'.repeat(10_000) })
  expect((await send(url, [aggregate()]))[0]).toMatchObject({ state: 'sent' })
  const lengths = named(requests, 'params')
    .filter(({ key }) => key === 'system_instruction')
    .map(({ value }) => String(value).length)
  expect(lengths).toEqual([6_000, 500])
})

test('retries a temporary failure, and reads user and password from the environment', async () => {
  const { url, requests } = await fakeMlflow({ failing: 1 })
  const send = await sender()
  const env = { MLFLOW_TRACKING_USERNAME: 'me', MLFLOW_TRACKING_PASSWORD: 'pass' }
  expect((await send(url, [aggregate()], env))[0]).toMatchObject({ state: 'sent' })
  expect(new Set(requests.map(({ authorization }) => authorization))).toEqual(
    new Set([`Basic ${Buffer.from('me:pass').toString('base64')}`]),
  )
})

test('reports files that the server rejects, and sends the rest', async () => {
  const { url } = await fakeMlflow({ artifacts: 's3://bucket/1/r1' })
  const send = await sender()
  expect((await send(url, [aggregate()]))[0]).toMatchObject({
    state: 'sent',
    notes: [expect.stringContaining('--serve-artifacts')],
  })
})

test('an unreachable server is a problem of the tracker, with advice', async () => {
  const send = await sender()
  const [outcome] = await send('http://127.0.0.1:9', [aggregate()])
  expect(outcome).toMatchObject({ state: 'failed' })
  expect(outcome?.problem).toMatch(/can't be reached.*mlflow server/)
})
