import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import type { Run } from '../../../cache/records.js'
import { readDestinations } from '../../../src/tracking/destinations.js'
import { namedTrackers } from '../../../src/tracking/named-trackers.js'
import { sendRun } from '../../../src/tracking/track-run.js'
import { fakeHubWrites, type FakeHubWrites } from '../../support/fake-hub-writes.js'
import { aggregate } from '../../support/report-data.js'
import { temporaryFolder, temporaryStore } from '../../support/store.js'
import { viewedRun } from '../../support/viewed-run.js'

async function tracking(name: string, given: string, { url, token = 'hf_right' }: { url: string; token?: string }) {
  const store = await temporaryStore()
  const opened = await viewedRun(store, [{ answer: 'blue' }, { answer: 'red'.repeat(1_000) }], {
    aggregates: [aggregate({ value: 0.5 })],
  })
  const env = { HF_ENDPOINT: url, ...(token !== '' && { HF_TOKEN: token }) }
  const destinations = readDestinations([{ name, given }], env)
  const send = (run: Run = opened.run) =>
    sendRun(store, { ...opened, run }, destinations, { env, signal: new AbortController().signal })
  return { send, run: opened.run }
}

/** The run as if its docs came from a dataset of the Hub. */
const fromHub = (run: Run): Run => ({
  ...run,
  asked: {
    ...run.asked,
    tasks: run.asked.tasks.map(task => ({
      ...task,
      dataset: { path: 'acme/shapes', config: 'easy', revision: 'a'.repeat(40), files: {} },
    })),
  },
})

describe('hub', () => {
  test('creates the repository, and sends results and samples in one commit, once', async () => {
    const hub = await fakeHubWrites()
    const { send, run } = await tracking('hub', 'me/results,report=false', hub)
    const states = [await send(), await send()]
    expect(states.map(([one]) => one?.state)).toEqual(['sent', 'unchanged'])
    expect(hub.created).toMatchObject([{ name: 'results', organization: 'me', type: 'dataset', visibility: 'private' }])
    expect(hub.commits).toHaveLength(1)
    const [{ files, title, path }] = hub.commits as [FakeHubWrites['commits'][0]]
    expect(path).toBe('/api/datasets/me/results/commit/main')
    expect(title).toBe(`Add results of ${run.name}@1`)
    const folder = `${run.name}_1`
    expect(JSON.parse(files[`${folder}/results.json`] ?? '')).toMatchObject({ run: { name: run.name } })
    expect((files[`${folder}/samples_shapes_vqa.jsonl`] ?? '').trim().split('\n')).toHaveLength(2)
  })

  test.each([
    ['', 'HF_TOKEN is not set'],
    ['hf_wrong', 'refuses to write to me/results (401): give a token in HF_TOKEN that may write there'],
  ])('reports a problem with the token %j', async (token, problem) => {
    const { url } = await fakeHubWrites()
    const { send } = await tracking('hub', 'me/results', { url, token })
    const [outcome] = await send()
    expect(outcome).toMatchObject({ state: 'failed' })
    expect(outcome?.problem).toContain(problem)
    expect(outcome?.problem).not.toContain('hf_wrong')
  })

  test.each(['hub', 'eval_results'])('%s rejects an address of the Hub with a password, and shows none', name => {
    const read = () =>
      readDestinations([{ name, given: 'me/results' }], { HF_ENDPOINT: 'http://ada:secret@hub.example' })
    expect(read).toThrow('HF_ENDPOINT: an address without user and password')
    expect(read).not.toThrow('secret')
  })

  test('rejects an invalid repository name before anything is sent', () => {
    expect(() => readDestinations([{ name: 'hub', given: 'results' }], {})).toThrow('Name it as owner/results')
  })
})

describe('eval_results', () => {
  test('opens a pull request at the model with a file for each task', async () => {
    const hub = await fakeHubWrites({ known: ['models/me/model'] })
    const { send, run } = await tracking('eval_results', 'me/model,percent=true,notes=With tools', hub)
    expect(await send(fromHub(run))).toMatchObject([
      { state: 'sent', where: `${hub.url}/models/me/model/discussions/1` },
    ])
    expect(parse(hub.commits[0]?.files['.eval_results/shapes_vqa.yaml'] ?? '')).toMatchObject([
      { dataset: { id: 'acme/shapes', task_id: 'easy', revision: 'a'.repeat(40) }, value: 50, notes: 'With tools' },
    ])
  })

  test('writes into a local clone of the model', async () => {
    const folder = await temporaryFolder()
    const { send, run } = await tracking('eval_results', `dir=${folder},url=https://a.example/runs`, {
      url: 'http://x',
    })
    expect((await send(fromHub(run)))[0]?.state).toBe('sent')
    expect(parse(await readFile(join(folder, '.eval_results/shapes_vqa.yaml'), 'utf8'))).toMatchObject([
      { value: 0.5, source: { url: 'https://a.example/runs' } },
    ])
  })

  test('reports that no task has docs of the Hub', async () => {
    const { send } = await tracking('eval_results', 'me/model', { url: 'http://x' })
    expect((await send())[0]?.problem).toContain('no task of')
  })
})

test.each([
  [{ hfHubLogArgs: ',output_path=out' }, []],
  [
    { hfHubLogArgs: 'hub_results_org=me,hub_repo_name=r,push_results_to_hub=True,push_samples_to_hub=False' },
    [{ name: 'hub', given: { repo: 'me/r', public: false, results: true, samples: false, report: false } }],
  ],
])('lmms-eval’s arguments for the Hub push what they name: %j', (flags, trackers) => {
  expect(namedTrackers(flags, {})).toEqual(trackers)
})
