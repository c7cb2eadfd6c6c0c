import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { helmLogs } from '../../../../src/exchange/read/helm/helm.js'
import { everySample, meanOf } from '../../../support/foreign-samples.js'

const folder = 'tests/fixtures/logs/helm/runs'

describe('logs of HELM', () => {
  let made: string
  beforeAll(async () => {
    made = await mkdtemp(join(tmpdir(), 'helm-'))
  })
  afterAll(() => rm(made, { recursive: true }))

  it('are recognized as a suite and as a run', async () => {
    expect(await helmLogs.recognises(folder)).toBe(true)
    expect(await helmLogs.recognises(join(folder, 'simple_mcqa'))).toBe(true)
    expect(await helmLogs.recognises('tests/fixtures')).toBe(false)
    const tasks = await everySample(await helmLogs.open(folder))
    expect(tasks.map(({ task, samples }) => [task.task, task.model, samples.length])).toEqual([
      ['simple_classification', 'simple/model1', 3],
      ['simple_mcqa,data_augmentation=misspelling0.05', 'simple/model1', 3],
    ])
  })

  it('contain prompts, answers, targets, choices and token counts', async () => {
    const [, choice] = await everySample(await helmLogs.open(folder))
    expect(choice?.task.generation).toMatchObject({ temperature: 0, max_tokens: 5, num_outputs: 5 })
    const [sample] = choice?.samples ?? []
    expect(sample).toMatchObject({
      id: 'id60',
      doc: { input: 'Is 70 even or odd?', split: 'test', output_mapping: { A: 'Even', B: 'Odd' } },
      target: 'Even',
      choices: ['Even', 'Odd'],
      answers: [{ text: 'Answer:', usage: { input: 385, output: 1 } }],
      scores: { exact_match: 0, quasi_exact_match: 0 },
    })
    expect(sample?.messages?.[0]?.content).toMatch(/Question: Is 70 even or odd\?\nA\. Even\nB\. Odd\nAnswer:$/)
    // This client of HELM states no likelihoods: it writes 0.
    expect(sample?.answers[0]).not.toHaveProperty('logprob')
  })

  it('report the means of their samples', async () => {
    for (const { task, samples } of await everySample(await helmLogs.open(folder))) {
      const ofSamples = task.reported.filter(({ metric }) => samples.some(({ scores }) => metric in scores))
      expect(ofSamples.map(({ metric }) => metric)).toContain('exact_match')
      for (const { metric, value } of ofSamples) expect(meanOf(samples, metric)).toBeCloseTo(value, 9)
    }
  })

  it('separate perturbed instances, and group the requests of one instance', async () => {
    const run = join(made, 'grouped')
    await cp(join(folder, 'simple_mcqa'), run, { recursive: true })
    const path = join(run, 'scenario_state.json')
    const state = JSON.parse(await readFile(path, 'utf8')) as { request_states: Record<string, unknown>[] }
    const [first] = state.request_states
    const instance = first?.['instance'] as Record<string, unknown>
    const result = (likelihood: number): unknown => ({
      success: true,
      cached: false,
      completions: [{ text: 'x', logprob: likelihood, tokens: [] }],
    })
    state.request_states = [
      { ...first, reference_index: 0, result: result(-1) },
      { ...first, reference_index: 1, result: result(-2) },
      { ...first, reference_index: 1, request_mode: 'calibration', result: result(-3) },
      {
        ...first,
        instance: { ...instance, perturbation: { name: 'misspelling', seed: 7 } },
        result: { success: false, completions: [], cached: false, error: 'no service' },
      },
    ]
    await writeFile(path, JSON.stringify(state))
    const [task] = await everySample(await helmLogs.open(run))
    expect(task?.samples.map(({ id, answers }) => [id, answers])).toEqual([
      [
        'id60',
        [
          { choice: 0, text: 'x', logprob: -1 },
          { choice: 1, text: 'x', logprob: -2 },
        ],
      ],
      ['id60~misspelling~7', [{ error: 'no service' }]],
    ])
  })

  it('are rejected with file and line if they are truncated', async () => {
    const run = join(made, 'cut')
    await cp(join(folder, 'simple_mcqa'), run, { recursive: true })
    for (const name of ['scenario_state.json', 'per_instance_stats.json']) {
      const path = join(run, name)
      const text = await readFile(path, 'utf8')
      await writeFile(path, text.slice(0, text.length / 2))
      await expect(helmLogs.open(run).then(everySample)).rejects.toThrow(new RegExp(`${name}:\\d+ {2}not JSON`))
      await writeFile(path, text)
    }
  })
})
