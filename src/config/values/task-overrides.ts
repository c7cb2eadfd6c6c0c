import { z } from 'zod'
import { PipelineError } from '../../../base/errors/errors.js'
import { emptyTable } from '../../../base/values/named-values.js'
import type { Json } from '../../../base/values/canonical-json.js'
import { readYamlValue } from './yaml-value.js'

/** Keys of tasks, by the name of the task or a pattern of names. */
export type TaskOverrides = Readonly<Record<string, Readonly<Record<string, Json>>>>

/** Reads `TASK.KEY=VALUE`, with the value in YAML, and collects it with those before. */
function readOverride(text: string, before: TaskOverrides | undefined, flag: string): TaskOverrides {
  const [, task = '', key = '', valueText = ''] = /^(.+?)\.(\w+)=(.*)$/su.exec(text) ?? []
  if (task === '') throw new PipelineError('usage', `${flag}: expected TASK.KEY=VALUE, given "${text}"`)
  const overrides: Record<string, Readonly<Record<string, Json>>> = Object.assign(emptyTable(), before)
  overrides[task] = { ...overrides[task], [key]: readYamlValue(valueText) }
  return overrides
}

/** The value of `--override`, and of `override` in a configuration file. */
export const taskOverrides = {
  read: readOverride,
  file: z
    .record(z.string().min(1), z.record(z.string().min(1), z.json()))
    .describe('tasks or patterns of tasks, each with keys of its file'),
}
