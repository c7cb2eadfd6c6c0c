import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { promptfooLogs } from '../../../../src/exchange/read/promptfoo.js'
import { everySample, meanOf } from '../../../support/foreign-samples.js'

const folder = 'tests/fixtures/logs/promptfoo'

describe('logs of promptfoo', () => {
  let made: string
  beforeAll(async () => {
    made = await mkdtemp(join(tmpdir(), 'promptfoo-'))
  })
  afterAll(() => rm(made, { recursive: true }))

  it.each(['results.json', 'results.jsonl'])('are recognized and read from %s', async name => {
    const path = join(folder, name)
    expect(await promptfooLogs.recognises(path)).toBe(true)
    const tasks = await everySample(await promptfooLogs.open(path))
    expect(tasks.map(({ task }) => task.model)).toEqual(['mock:colours', 'mock:colours', 'echo', 'echo'])
    expect(tasks.map(({ samples }) => samples.length)).toEqual([4, 4, 4, 4])
    expect(new Set(tasks.map(({ task }) => `${task.task} ${task.model ?? ''}`)).size).toBe(4)
    const sample = tasks[0]?.samples[0]
    expect(sample).toMatchObject({
      id: 0,
      doc: { question: 'What is the capital of France?' },
      messages: [{ role: 'user', content: 'Answer in one word: What is the capital of France?' }],
      target: 'Paris',
      answers: [{ text: 'Paris', finish: 'stop', usage: { input: 10, output: 2 } }],
      scores: { pass: 1, score: 1, correct: 1, short: 1 },
    })
  })

  it('report derived metrics that no sample has', async () => {
    const file = join(made, 'derived.json')
    const text = await readFile(join(folder, 'results.json'), 'utf8')
    await writeFile(file, text.replace('"namedScores": {', '"namedScores": { "doubled": 6,'))
    const [first] = await everySample(await promptfooLogs.open(file))
    expect(first?.task.reported.find(({ metric }) => metric === 'doubled')).toEqual({ metric: 'doubled', value: 6 })
  })

  it('report the means of their samples', async () => {
    const log = await promptfooLogs.open(join(folder, 'results.json'))
    expect(log.toolVersion).toBe('0.121.20')
    for (const { task, samples } of await everySample(log)) {
      expect(task.reported.map(({ metric }) => metric)).toEqual(expect.arrayContaining(['pass', 'score', 'short']))
      for (const { metric, value } of task.reported) expect(meanOf(samples, metric)).toBeCloseTo(value, 9)
    }
  })

  it('contain pictures as bytes, and failed requests as errors', async () => {
    const tasks = await everySample(await promptfooLogs.open(join(folder, 'results.json')))
    const chat = tasks[1]?.samples[0]?.messages
    expect(chat?.[0]).toEqual({ role: 'system', content: 'You name colours.' })
    const picture = await readFile(join(folder, 'red.png'))
    expect(chat?.[1]?.content).toEqual([
      { type: 'text', text: 'What is the capital of France?' },
      { type: 'medium', mime: 'image/png', bytes: picture },
    ])
    const failed = tasks[0]?.samples.filter(({ answers }) => answers[0]?.error !== undefined) ?? []
    expect(failed.map(({ id }) => id)).toEqual([2, 3])
    expect(failed[0]?.answers).toEqual([expect.objectContaining({ error: 'The mock model refuses this prompt.' })])
    expect(failed[0]?.answers[0]).not.toHaveProperty('text')
  })

  it('are rejected with file and line if they are truncated', async () => {
    const text = await readFile(join(folder, 'results.json'), 'utf8')
    const path = join(made, 'cut.json')
    await writeFile(path, text.slice(0, text.length / 2))
    await expect(promptfooLogs.open(path)).rejects.toThrow(/cut\.json:\d+ {2}not JSON/)
    const lines = join(made, 'cut.jsonl')
    const rows = (await readFile(join(folder, 'results.jsonl'), 'utf8')).split('\n')
    await writeFile(lines, [...rows.slice(0, 2), (rows[2] ?? '').slice(0, 300)].join('\n'))
    await expect(promptfooLogs.open(lines)).rejects.toThrow(/cut\.jsonl:3 {2}not JSON/)
  })

  it('are not recognized in files of other kinds', async () => {
    const path = join(made, 'other.json')
    await writeFile(path, '{"results": {"exact_match": 1}}')
    expect(await promptfooLogs.recognises(path)).toBe(false)
    expect(await promptfooLogs.recognises(join(made, 'absent.json'))).toBe(false)
    expect(await promptfooLogs.recognises(made)).toBe(false)
  })
})
