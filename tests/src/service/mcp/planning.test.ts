/** The tools that plan comparisons and compare scores with labels. */
import { expect, it } from 'vitest'
import { evaluate, planComparison } from '../../../../src/index.js'
import { findSample, labelSample } from '../../../../src/labels/labelled-sample.js'
import { work } from '../../../../src/service/jobs/worker.js'
import { openRun } from '../../../../src/reading/runs/run-reference.js'
import { scene } from './scene.js'

it('plans from assumptions, and from the scores of runs', async () => {
  const { agent, service } = await scene()
  const { client, call } = await agent()
  await client.listTools()
  const { data } = await call('plan_comparison', { effect: 0.02, docs: 1000, correlation: 0.7 })
  expect(data).toEqual({
    plan: JSON.parse(JSON.stringify(planComparison({ effect: 0.02, docs: 1000, correlation: 0.7 }))) as unknown,
    tasks: [],
  })
  const { includePaths } = service.settings
  await evaluate({ store: service.store, model: 'dummy', modelArgs: { mode: 'echo' }, tasks: ['echoes'], includePaths })
  expect((await call('plan_comparison', { effect: 0.5, runs: ['last'] })).data).toMatchObject({
    plan: null,
    tasks: [{ task: 'echoes', metric: 'exact_match', docs: 6, plan: { effect: 0.5 } }],
  })
  expect(await call('plan_comparison', { correlation: 1 })).toMatchObject({ isError: true })
  expect((await call('leaderboard', { task: 'ech*' })).data).toMatchObject({
    models: [{ label: expect.stringContaining('dummy') as string }],
    rows: [{ task: 'echoes', metric: 'exact_match' }],
  })
})

it('compares the scores of a run with labels', async () => {
  const { agent, service } = await scene()
  const { client, call } = await agent()
  await client.listTools()
  const { store, settings } = service
  await evaluate({
    store,
    model: 'dummy',
    modelArgs: { mode: 'echo' },
    tasks: ['echoes'],
    includePaths: settings.includePaths,
  })
  expect(await call('calibrate_judge', { run_id: 'last' })).toMatchObject({ isError: true })
  const opened = await openRun(store, 'last')
  for (const [doc, label] of [
    ['0', 'right'],
    ['1', 'right'],
    ['3', 'wrong'],
  ] as const)
    await labelSample(store, opened.run, await findSample(store, opened, `echoes/${doc}`), {
      label,
      note: '',
      author: 'Ada',
    })
  expect((await call('calibrate_judge', { run_id: 'last' })).data).toMatchObject({
    run: opened.run.name,
    tasks: [{ task: 'echoes', labelled: 3, docs: 6, table: { bothRight: 1, judgeTooStrict: 1, bothWrong: 1 } }],
  })
})

it('submits an analysis, waits for it by its id, and rejects arguments of another kind', async () => {
  const { agent, service } = await scene()
  const { client, call } = await agent()
  await client.listTools()
  const { store, settings, policy } = service
  const { includePaths } = settings
  const own = { store, model: 'dummy', modelArgs: { mode: 'echo' }, tasks: ['echoes'], includePaths, repeats: 2 }
  const { run } = await evaluate(own)
  const first = await call('analyse_runs', { kind: 'stability', run_id: 'last', wait_timeout_s: 0 })
  expect(first.data).toMatchObject({ status: 'queued', result: null, error: null })
  await work(store, {
    ...{ env: {}, includePaths, plugins: [], policy, limits: {}, maxJobs: 1 },
    shutdown: new AbortController().signal,
    now: () => performance.now(),
  })
  const { data } = await call('analyse_runs', { kind: 'stability', job_id: first.data['job_id'] })
  expect(data).toMatchObject({ status: 'completed', result: { run: run.name, tasks: [{ samples: 2, docs: 6 }] } })
  expect(await call('analyse_runs', { kind: 'blame', run_id: 'last' })).toMatchObject({ isError: true })
  expect(await call('analyse_runs', { kind: 'repro', run_id: 'no-such-run' })).toMatchObject({ isError: true })
})
