import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { evalscopeLogs } from '../../../../src/exchange/read/evalscope/evalscope.js'
import { everySample, meanOf } from '../../../support/foreign-samples.js'

const folder = 'tests/fixtures/logs/evalscope/log'

describe('logs of EvalScope', () => {
  let made: string
  beforeAll(async () => {
    made = await mkdtemp(join(tmpdir(), 'evalscope-'))
  })
  afterAll(() => rm(made, { recursive: true }))

  it('are recognized, with a task for each subset', async () => {
    expect(await evalscopeLogs.recognises(folder)).toBe(true)
    expect(await evalscopeLogs.recognises('tests/fixtures')).toBe(false)
    const log = await evalscopeLogs.open(folder)
    expect(log.toolVersion).toBe('1.14.1')
    const tasks = await everySample(log)
    expect(tasks.map(({ task, samples }) => [task.task, task.model, samples.length])).toEqual([
      ['general_mcq_capitals', 'colours', 6],
      ['general_vqa_colours', 'colours', 4],
    ])
    expect(tasks[0]?.task.generation).toMatchObject({ max_tokens: 16, temperature: 0 })
  })

  it('report the means of their samples, under the names that samples use', async () => {
    const [choice, picture] = await everySample(await evalscopeLogs.open(folder))
    expect(choice?.task.reported).toEqual([{ metric: 'accuracy', value: 0.6667, digits: 4, n: 6 }])
    expect(choice?.task.higherIsBetter).toEqual({ accuracy: true })
    expect(meanOf(choice?.samples ?? [], 'accuracy')).toBeCloseTo(2 / 3, 9)
    expect(picture?.task.reported.map(({ metric }) => metric)).toContain('Rouge-L-R')
    for (const { metric, value } of picture?.task.reported ?? [])
      expect(meanOf(picture?.samples ?? [], metric)).toBeCloseTo(value, 3)
  })

  it('join predictions and reviews, with reasoning, repetitions and pictures', async () => {
    const [choice, picture] = await everySample(await evalscopeLogs.open(folder))
    const places = choice?.samples.map(({ id, epoch }) => `${id} ${epoch ?? ''}`).sort()
    expect(places).toEqual(['0 0', '0 1', '1 0', '1 1', '2 0', '2 1'])
    const paris = choice?.samples.find(({ id }) => id === 0)
    expect(paris).toMatchObject({
      doc: { id: '1' },
      target: 'A',
      answers: [
        {
          text: 'ANSWER: A',
          reasoning: 'Paris is the capital of France.',
          finish: 'stop',
          usage: { input: 20, output: 3 },
        },
      ],
      scores: { accuracy: 1 },
      extracted: { answer: 'A' },
    })
    expect(paris?.messages).toHaveLength(1)
    const parts = picture?.samples[0]?.messages?.[0]?.content
    expect(parts).toEqual([
      expect.objectContaining({ type: 'text' }),
      expect.objectContaining({ type: 'medium', mime: 'image/png' }),
    ])
  })

  it('are read without reviews or without predictions', async () => {
    const stopped = join(made, 'stopped')
    await cp(folder, stopped, { recursive: true })
    await rm(join(stopped, 'reviews'), { recursive: true })
    const [choice] = await everySample(await evalscopeLogs.open(stopped))
    expect(choice?.samples.map(({ scores }) => scores)).toEqual(Array.from({ length: 6 }, () => ({})))
    const reviewed = join(made, 'reviewed')
    await cp(folder, reviewed, { recursive: true })
    await rm(join(reviewed, 'predictions'), { recursive: true })
    const [again] = await everySample(await evalscopeLogs.open(reviewed))
    expect(again?.samples.find(({ id }) => id === 0)?.answers).toEqual([
      { text: 'ANSWER: A', reasoning: 'Paris is the capital of France.' },
    ])
  })

  it('use the last row of a sample, as EvalScope does', async () => {
    const repeated = join(made, 'repeated')
    await cp(folder, repeated, { recursive: true })
    const file = join(repeated, 'reviews/colours/general_mcq_capitals.jsonl')
    const text = await readFile(file, 'utf8')
    const row = text.split('\n').find(line => line.includes('"accuracy": 1.0') || line.includes('"accuracy":1.0')) ?? ''
    await writeFile(file, `${text.trimEnd()}\n${row.replace(/"accuracy": ?1\.0/, '"accuracy": 0.25')}\n`)
    const [choice] = await everySample(await evalscopeLogs.open(repeated))
    expect(choice?.samples).toHaveLength(6)
    expect(choice?.samples.filter(({ scores }) => scores['accuracy'] === 0.25)).toHaveLength(1)
  })

  it('say that an answer was cut off at the maximum number of tokens', async () => {
    const cut = join(made, 'cut')
    await cp(folder, cut, { recursive: true })
    const file = join(cut, 'predictions/colours/general_mcq_capitals.jsonl')
    const text = await readFile(file, 'utf8')
    await writeFile(file, text.replace(/"stop_reason": ?"stop"/, '"stop_reason": "max_tokens"'))
    const [choice] = await everySample(await evalscopeLogs.open(cut))
    const ends = choice?.samples.flatMap(({ answers }) => answers.map(({ finish }) => finish))
    expect(ends?.toSorted()).toEqual(['length', 'stop', 'stop', 'stop', 'stop', 'stop'])
  })

  it('are rejected with file and line if a line is damaged or of an older version', async () => {
    const damaged = join(made, 'damaged')
    await cp(folder, damaged, { recursive: true })
    const file = join(damaged, 'predictions/colours/general_mcq_capitals.jsonl')
    const lines = (await readFile(file, 'utf8')).split('\n')
    await writeFile(file, [...lines.slice(0, 3), (lines[3] ?? '').slice(0, 200)].join('\n'))
    await expect(evalscopeLogs.open(damaged).then(everySample)).rejects.toThrow(/capitals\.jsonl:4 {2}not JSON/)
    await writeFile(file, '{"index": 0, "choices": []}\n')
    await expect(evalscopeLogs.open(damaged).then(everySample)).rejects.toThrow(
      /capitals\.jsonl:1 {2}not a prediction or a review of EvalScope 1\.0 or later/,
    )
  })
})
