import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { vlmevalkitLogs } from '../../../../src/exchange/read/vlmevalkit/vlmevalkit.js'
import { everySample, meanOf } from '../../../support/foreign-samples.js'

const folder = 'tests/fixtures/logs/vlmevalkit/log'
const inFormat = (format: string): string => join(folder, format, 'Mock-1B/T20260102-030405')

describe('logs of VLMEvalKit', () => {
  let made: string
  beforeAll(async () => {
    made = await mkdtemp(join(tmpdir(), 'vlmevalkit-'))
  })
  afterAll(() => rm(made, { recursive: true }))

  it.each(['xlsx', 'tsv', 'json'])('are recognized and read with predictions in %s', async format => {
    const path = inFormat(format)
    expect(await vlmevalkitLogs.recognises(path)).toBe(true)
    const [read, ...others] = await everySample(await vlmevalkitLogs.open(path))
    expect(others).toEqual([])
    expect([read?.task.task, read?.task.model]).toEqual(['Colours', 'Mock-1B'])
    expect(read?.samples.map(({ id, target }) => [id, target])).toEqual([
      ['1', 'A'],
      ['2', 'B'],
      ['3', 'A'],
      ['4', 'B'],
      ['6', 'A'],
      ['5', 'B'],
    ])
    expect(read?.samples.map(({ answers }) => answers)).toEqual([
      [{ text: 'A' }],
      [{ text: 'The answer is B.\nIt is blue.' }],
      [{ text: 'B' }],
      [{ error: 'Failed to obtain answer via API.' }],
      [{ text: '1' }],
      [{ text: '=2' }],
    ])
    expect(read?.samples[1]?.doc).toEqual({
      question: 'Which colour is it, "red" or <blue> & co.?',
      A: 'Red',
      B: 'Blue',
      answer: 'B',
      category: 'marks',
    })
    expect(read?.samples[3]).toMatchObject({ doc: { question: 'Is it ∅ or  two  spaces?' }, choices: ['∅', 'Two'] })
  })

  it.each(['xlsx', 'tsv'])('have the scores that the evaluation wrote in %s', async format => {
    const [read] = await everySample(await vlmevalkitLogs.open(inFormat(format)))
    expect(read?.samples.map(({ scores }) => scores)).toEqual([1, 1, 0, 0, 1, 1].map(hit => ({ hit })))
    const reported = read?.task.reported.find(({ metric }) => metric === 'hit')
    expect(meanOf(read?.samples ?? [], 'hit')).toBeCloseTo(reported?.value ?? NaN, 9)
    expect(read?.task.reported.map(({ metric }) => metric)).toEqual(['hit', 'marks', 'plain'])
  })

  it('are read from the file of predictions or from a folder of models', async () => {
    const file = join(inFormat('xlsx'), 'Mock-1B_Colours.xlsx')
    expect(await vlmevalkitLogs.recognises(file)).toBe(true)
    const [read] = await everySample(await vlmevalkitLogs.open(file))
    expect(read?.samples[0]?.scores).toEqual({ hit: 1 })
    expect(await everySample(await vlmevalkitLogs.open(folder))).toHaveLength(3)
  })

  it('give a longer dataset name its own scores', async () => {
    const run = join(made, 'Mock-1B')
    await cp(inFormat('tsv'), run, { recursive: true })
    for (const end of ['.tsv', '_exact_matching_result.tsv'])
      await cp(join(run, `Mock-1B_Colours${end}`), join(run, `Mock-1B_Colours_V11${end}`))
    const tasks = await everySample(await vlmevalkitLogs.open(run))
    expect(tasks.map(({ task, samples }) => [task.task, samples[0]?.scores])).toEqual([
      ['Colours', { hit: 1 }],
      ['Colours_V11', { hit: 1 }],
    ])
  })

  it('are rejected if the file is damaged, has a duplicate index, or is a pickle', async () => {
    const run = join(made, 'Other-1B')
    await cp(inFormat('xlsx'), run, { recursive: true })
    const file = join(run, 'Mock-1B_Colours.xlsx')
    const bytes = await readFile(file)
    await writeFile(file, bytes.subarray(0, bytes.length / 2))
    await expect(vlmevalkitLogs.open(file)).rejects.toThrow(/Mock-1B_Colours\.xlsx {2}can't be read as an Excel file/)
    const twice = join(made, 'Mock_Twice.tsv')
    await writeFile(twice, 'index\tprediction\n1\tA\n1\tB\n')
    await expect(vlmevalkitLogs.open(twice).then(everySample)).rejects.toThrow(/row 2 {2}the index 1 occurs twice/)
    await expect(vlmevalkitLogs.open(join(made, 'x.pkl'))).rejects.toThrow(/is a Python pickle/)
  })

  it('are not recognized in other folders', async () => {
    expect(await vlmevalkitLogs.recognises('tests/fixtures/logs/promptfoo')).toBe(false)
    expect(await vlmevalkitLogs.recognises(join(made, 'absent'))).toBe(false)
  })
})
