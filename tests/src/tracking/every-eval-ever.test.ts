import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Aggregate } from '../../../cache/records.js'
import { readDestinations } from '../../../src/tracking/destinations.js'
import { sendRun } from '../../../src/tracking/track-run.js'
import { aggregate } from '../../support/report-data.js'
import { temporaryFolder, temporaryStore } from '../../support/store.js'
import { viewedRun } from '../../support/viewed-run.js'

async function sendTo(folder: string, aggregates: readonly Aggregate[], settings: Record<string, string> = {}) {
  const store = await temporaryStore()
  const { run, judgement } = await viewedRun(store, [{ answer: 'blue' }, { answer: 'red' }])
  const destinations = readDestinations([{ name: 'every_eval_ever', given: { dir: folder, ...settings } }], {})
  const options = { env: {}, signal: new AbortController().signal }
  const send = (values = aggregates) =>
    sendRun(
      store,
      { run, ...(judgement && { judgement: { ...judgement, aggregates: values } }) },
      destinations,
      options,
    )
  return { send, run }
}

const filesIn = async (folder: string): Promise<readonly string[]> =>
  (await readdir(folder, { recursive: true, withFileTypes: true }))
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name))
    .sort()

async function readRecord(folder: string) {
  const [record = '', samples = ''] = await filesIn(folder)
  const text = samples === '' ? '' : await readFile(samples, 'utf8')
  return {
    path: record.slice(folder.length + 1),
    record: JSON.parse(await readFile(record, 'utf8')) as Record<string, unknown>,
    text,
    lines: text
      .trim()
      .split('\n')
      .filter(line => line !== '')
      .map(line => JSON.parse(line) as Record<string, unknown>),
  }
}

test('a task is a record with its scores, and each sample a line that refers to its score', async () => {
  const folder = await temporaryFolder()
  const numbers = [
    aggregate({ value: 0.5, stderr: 0.1, interval: [0.2, 0.8], intervalMethod: 'wilson', n: 2, total: 2 }),
    aggregate({ value: null, metric: 'missing' }),
  ]
  const { send } = await sendTo(folder, numbers, {
    model: 'acme/vision-2',
    organization: 'Acme',
    relationship: 'first_party',
  })
  expect(await send()).toMatchObject([{ tracker: 'every_eval_ever', state: 'sent' }])
  const { path, record, lines, text } = await readRecord(folder)
  expect(path).toMatch(
    /^data\/shapes_vqa\/acme\/vision-2\/[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}\.json$/,
  )
  expect(record).toMatchObject({
    schema_version: '0.3.0',
    source_metadata: { source_organization_name: 'Acme', evaluator_relationship: 'first_party' },
    model_info: { id: 'acme/vision-2', developer: 'acme' },
    detailed_evaluation_results: {
      file_path: path.replace('.json', '_samples.jsonl'),
      checksum: createHash('sha256').update(text).digest('hex'),
      total_rows: 2,
    },
  })
  expect(record['evaluation_results']).toMatchObject([
    {
      evaluation_name: 'shapes_vqa',
      metric_config: { metric_id: 'exact_match', lower_is_better: false, min_score: 0, max_score: 1 },
      score_details: {
        score: 0.5,
        uncertainty: {
          standard_error: { value: 0.1 },
          confidence_interval: { lower: 0.2, upper: 0.8 },
          num_samples: 2,
        },
      },
    },
  ])
  const [{ evaluation_result_id: id }] = record['evaluation_results'] as [{ evaluation_result_id: string }]
  expect(lines.map(line => line['evaluation_result_id'])).toEqual([id, id])
  expect(lines[0]).toMatchObject({ interaction_type: 'single_turn', output: { raw: ['blue'] } })
})

test('does not write the same results twice, and replaces others under the same name', async () => {
  const folder = await temporaryFolder()
  const { send } = await sendTo(folder, [aggregate({ value: 0.5 })], { samples: 'false' })
  const states = [await send(), await send(), await send([aggregate({ value: 0.75 })])]
  expect(states.map(([one]) => one?.state)).toEqual(['sent', 'unchanged', 'updated'])
  expect(await filesIn(folder)).toHaveLength(1)
  const { record } = await readRecord(folder)
  expect(record).not.toHaveProperty('detailed_evaluation_results')
  expect(record['evaluation_results']).toMatchObject([{ score_details: { score: 0.75 } }])
})

test('reports a folder that cannot be created, and no run fails', async () => {
  const { send } = await sendTo('/proc/none', [aggregate({ value: 0.5 })])
  expect(await send()).toMatchObject([{ state: 'failed', problem: expect.stringContaining('Name a folder') as string }])
})
