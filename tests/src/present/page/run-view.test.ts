import { expect, test } from 'vitest'
import { runRow } from '../../../../src/present/page/runs/run-row.js'
import { runView } from '../../../../src/present/page/runs/run-view.js'
import { aggregate } from '../../../support/report-data.js'
import { temporaryStore, testRun } from '../../../support/store.js'
import { viewedRun } from '../../../support/viewed-run.js'

test('shows a run with its scores, labels, failures and the command that resumes it', async () => {
  const store = await temporaryStore()
  const opened = await viewedRun(
    store,
    [
      { answer: 'blue', score: { values: { exact_match: 1 }, groups: { kind: 'even' } } },
      { answer: 'red', served: 'm-2026', score: { groups: { kind: 'odd' } } },
      { answer: '?', score: { outcome: 'error', values: {}, reason: 'it threw' } },
      { failure: { class: 'refused', message: 'no', attempts: 2 } },
    ],
    {
      aggregates: [
        aggregate({ n: 2, total: 4 }),
        aggregate({ group: { field: 'kind', label: 'even' }, total: 1 }),
        aggregate({ group: { field: 'kind', label: 'odd' }, total: 3 }),
      ],
      provenance: {
        config: {
          cwd: '/my work',
          model: 'openai',
          model_args: { model: 'm', base_url: 'http://x' },
          tasks: ['a', 'b'],
        },
      },
    },
  )
  const view = await runView(store, opened)
  expect(view).toMatchObject({
    // This process read the docs and still lives.
    state: 'running',
    judgement: 1,
    judgements: [1],
    progress: { docs: 4, requests: 4, answered: 3, failed: 1, scored: 3 },
    facets: [
      {
        field: 'kind',
        labels: [
          { label: 'odd', docs: 3 },
          { label: 'even', docs: 1 },
        ],
        more: 0,
      },
    ],
    failures: [
      {
        class: 'refused',
        requests: 1,
        messages: [{ message: 'no', requests: 1 }],
        docs: [{ task: 0, index: 3, id: 'q3' }],
      },
    ],
    unjudged: [{ task: 'shapes_vqa', outcome: 'error', reason: 'it threw', docs: 1 }],
  })
  expect(view.scores).toHaveLength(1)
  expect(view.throughput).toMatchObject({ requests: { asked: 3 } })
  expect(view.provenance.served).toEqual([{ model: 'm-2026', answers: 1 }])
  expect(view.provenance.command).toBe(
    "cd '/my work' && pipeline eval --model openai --model-args base_url=http://x,model=m --tasks a,b",
  )
  expect(view.provenance.yaml).toContain('model_args:\n  base_url: http://x\n  model: m\n')
  expect(JSON.parse(JSON.stringify(view))).toEqual(view)
})

test('shows the row of a run without docs', async () => {
  const store = await temporaryStore()
  const run = await testRun(store)
  expect(await runRow(store, run)).toMatchObject({
    name: run.name,
    state: 'incomplete',
    scores: [],
    progress: { docs: 0, requests: 0, answered: 0, failed: 0, scored: 0 },
  })
})
