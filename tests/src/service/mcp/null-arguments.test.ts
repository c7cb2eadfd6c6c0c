/** Agents that fill in every property send `null` for what they leave out. */
import { expect, it } from 'vitest'
import { echo, scene } from './scene.js'

/** Arguments that tools need beside those that may be left out. */
const needed: Readonly<Record<string, object>> = {
  get_task_info: { task_name: 'echoes' },
  get_model_info: { model_id: 'dummy' },
  evaluate: { ...echo, mode: 'async' },
  get_run_status: { run_id: 'last' },
  get_run_result: { run_id: 'last' },
  cancel_run: { run_id: 'last' },
  compare_runs: { a: 'last', b: 'last' },
  why_miss: { a: 'last', b: 'last' },
  plan_comparison: { effect: 0.1 },
  calibrate_judge: { run_id: 'last' },
  analyse_runs: { kind: 'stability', run_id: 'last', wait_timeout_s: 0 },
}

it('every tool takes null for each argument that may be left out, and its schema says so', async () => {
  const { client, call } = await (await scene()).agent()
  const { tools } = await client.listTools()
  for (const { name, inputSchema } of tools) {
    const { properties = {}, required = [] } = inputSchema
    const optional = Object.keys(properties).filter(key => !required.includes(key))
    for (const key of optional)
      expect(properties[key], `${name}.${key}`).toMatchObject({ anyOf: [{}, { type: 'null' }] })
    const nulls = Object.fromEntries(optional.map(key => [key, null]))
    const withNulls = await call(name, { ...nulls, ...needed[name] })
    const without = await call(name, needed[name] ?? {})
    expect(withNulls.text, name).not.toContain('given null')
    expect(withNulls.isError, name).toBe(without.isError)
  }
})

it('names a needed argument that is null as missing', async () => {
  const { call } = await (await scene()).agent()
  expect(await call('get_run_status', { run_id: null })).toMatchObject({
    isError: true,
    text: 'run_id: is missing: expected a text',
  })
})
