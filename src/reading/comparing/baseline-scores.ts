import { readFile } from 'node:fs/promises'
import { PipelineError, messageOf } from '../../../base/errors/errors.js'
import { shownPath } from '../../../base/files/shown-path.js'
import { isObject, type Json } from '../../../base/values/canonical-json.js'

/** A score of a results file. */
export interface BaselineScore {
  readonly task: string
  readonly metric: string
  readonly value: number
  readonly stderr?: number
}

export interface BaselineScores {
  readonly label: string
  readonly scores: readonly BaselineScore[]
}

/**
 * Reads the scores of a results file of this program, lmms-eval or lm-evaluation-harness.
 *
 * @throws PipelineError if the file can't be read, or holds no scores
 */
export async function readBaselineScores(file: string): Promise<BaselineScores> {
  const json = await readJson(file)
  const scores = isObject(json) ? (isObject(json['tasks']) ? ownScores(json) : foreignScores(json)) : []
  if (scores.length > 0) return { label: shownPath(file), scores }
  throw new PipelineError('usage', [
    `${shownPath(file)}: no scores are in it. A baseline is one of these:`,
    '  a run of the store: its name, the end of its id, or last~1',
    '  a file that an export wrote',
    '  results JSON of this program, of lmms-eval or of lm-evaluation-harness',
  ])
}

async function readJson(file: string): Promise<Json> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as Json
  } catch (error) {
    throw new PipelineError('usage', `${shownPath(file)}: it can't be read as results JSON (${messageOf(error)})`, {
      cause: error,
    })
  }
}

type JsonFields = { readonly [name: string]: Json | undefined }

function ownScores(json: JsonFields): BaselineScore[] {
  const groups = Object.entries(readFields(json['groups'])).map(
    ([name, group]) => [name, readFields(group)['metrics']] as const,
  )
  return [...Object.entries(readFields(json['tasks'])), ...groups].flatMap(([task, metrics]) =>
    Object.entries(readFields(metrics)).flatMap(([metric, entry]) =>
      makeScore(task, metric, readFields(entry)['value'], readFields(entry)['stderr']),
    ),
  )
}

/** `results: {mmmu_val: {"mmmu_acc,none": 0.5, "mmmu_acc_stderr,none": 0.01}}` */
function foreignScores(json: JsonFields): BaselineScore[] {
  return Object.entries(readFields(json['results'])).flatMap(([task, metrics]) =>
    Object.entries(readFields(metrics)).flatMap(([key, value]) => {
      const [metric = '', filter = 'none'] = key.split(',')
      if (metric.endsWith('_stderr')) return []
      const label = filter === 'none' ? metric : `${metric},${filter}`
      return makeScore(task, label, value, readFields(metrics)[`${metric}_stderr,${filter}`])
    }),
  )
}

const readFields = (value: Json | undefined): JsonFields => (isObject(value) ? value : {})

const makeScore = (task: string, metric: string, value: Json | undefined, stderr: Json | undefined): BaselineScore[] =>
  typeof value !== 'number' || metric === 'sample_len'
    ? []
    : [{ task, metric, value, ...(typeof stderr === 'number' && { stderr }) }]
