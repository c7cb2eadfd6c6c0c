import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import type { JsonObject } from '../../../cache/records.js'
import type { JudgeSettings } from '../../../src/config/settings.js'
import { addTaskJudges, checkTaskJudges } from '../../../src/judging/task-judges.js'

const task = (entry: JsonObject, name = 'spoken') => ({
  name,
  folder: '/tasks/spoken',
  at: (path: readonly PropertyKey[]) => `spoken.yaml:${path.join('.')}`,
  scoring: { output_type: 'generate_until', config: { metric_list: [{ metric: 'exact_match' }, entry] } },
})

const read = (entry: JsonObject, settings: JudgeSettings = {}) => addTaskJudges(settings, [task(entry)]).judgeFor

const whisper = { metric: 'asr_wer', judge: 'transformers_js,model=./whisper' }

test("an entry names its judge as a text, a mapping or a list, with paths relative to the task's folder", () => {
  const model = resolve('/tasks/spoken/whisper')
  const choice = { model: 'transformers_js', args: { model } }
  expect(read(whisper)).toEqual({ 'spoken.asr_wer': [choice] })
  const mapping = { model: 'transformers_js', args: { model: './whisper' } }
  expect(read({ ...whisper, name: 'errors', judge: mapping })).toEqual({ 'spoken.errors': [choice] })
  const panel = [mapping, 'openai_transcriptions,model=whisper-1']
  const hosted = { model: 'openai_transcriptions', args: { model: 'whisper-1' } }
  expect(read({ ...whisper, judge: panel })).toEqual({ 'spoken.asr_wer': [choice, hosted] })
})

test('settings by name or pattern override the entry, and the default judge does not', () => {
  const other = [{ model: 'openai', args: { model: 'b' } }]
  for (const pattern of ['spoken', 'spoken.asr_wer', 'spoken.asr_*', 'sp*'])
    expect(read(whisper, { judgeFor: { [pattern]: other } })).toEqual({ [pattern]: other })
  expect(Object.keys(read(whisper, { judgeModel: 'openai', judgeFor: { 'other.*': other } }) ?? {})).toEqual([
    'spoken.asr_wer',
    'other.*',
  ])
})

test("keeps settings without such tasks, and the argument judge of a task's own function", () => {
  const settings: JudgeSettings = { judgeModel: 'openai' }
  expect(addTaskJudges(settings, [task({ metric: 'f1' })])).toBe(settings)
  const { scoring, ...rest } = task({ metric: '!function utils.score', judge: 'strict' })
  const own = { ...scoring, functions: { '!function utils.score': { function: 'utils.score', file: 'utils.ts' } } }
  expect(addTaskJudges(settings, [{ ...rest, scoring: own as unknown as typeof scoring }])).toBe(settings)
})

test.each([
  [{ judge: ',model=x' }, 'spoken.yaml:metric_list.1.judge'],
  [{ judge: 3 }, 'spoken.yaml:metric_list.1.judge'],
  [{ judge: 'openai,model=a,api_key=sk-secret' }, 'judge.api_key is a secret'],
])('rejects %j with its position', (entry, message) => {
  expect(() => read({ ...whisper, ...entry })).toThrow(message)
  expect(() => read({ ...whisper, ...entry })).not.toThrow('sk-secret')
})

test.each([
  ['whisper,model=x', 'spoken.yaml:metric_list  judge of spoken.asr_wer: no model "whisper".'],
  ['openai_transcriptions,model=whisper-1,temprature=0', 'judge of spoken.asr_wer: model openai_transcriptions'],
])('the judge %j is refused before anything is opened', async (judge, message) => {
  await expect(checkTaskJudges(task({ ...whisper, judge }), [])).rejects.toThrow(message)
  await expect(checkTaskJudges(task(whisper), [])).resolves.toBeUndefined()
})
