/** Replacements of judge models. */
import { z } from 'zod'
import { PipelineError } from '../../../base/errors/errors.js'
import { namedRecord } from '../named-record.js'

/** The model to ask, by the name of the model that it replaces. */
export type JudgeOverrides = Readonly<Record<string, string>>

/** Reads `OLD=NEW`, and adds it to those of earlier flags. @throws PipelineError if the text has another form */
function readJudgeOverride(text: string, before: JudgeOverrides | undefined, flag: string): JudgeOverrides {
  const [, old = '', model = ''] = /^\s*([^=]+?)\s*=\s*([^=]+?)\s*$/s.exec(text) ?? []
  if (old === '') throw new PipelineError('usage', `${flag}: expected OLD=NEW, given "${text}"`)
  return Object.fromEntries([...Object.entries(before ?? {}), [old, model]])
}

/** The value of `--judge-override`, and of `judge_override` in a configuration file. */
export const judgeOverrides = {
  read: readJudgeOverride,
  file: namedRecord(z.string().min(1)).describe('a mapping of judge models to those that are asked in their place'),
}
