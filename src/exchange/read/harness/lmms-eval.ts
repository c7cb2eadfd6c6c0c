import { PipelineError } from '../../../../base/errors/errors.js'
import { shownPath } from '../../../../base/files/shown-path.js'
import { isList, isObject, type Json } from '../../../../base/values/canonical-json.js'
import type { JsonObject } from '../../../../cache/records.js'
import type { ForeignAnswer, ForeignSample, LogReader } from '../../foreign-log.js'
import type { FileNames } from './harness-files.js'
import { makeHarnessReader } from './harness-reader.js'
import { answersIn, filterNames, isLikelihoodTask, listUnread, numberIn, objectIn, textIn } from './harness-values.js'
import { readLoggedPrompt } from './logged-prompt.js'
import { linesByDoc, type DocLines } from './sample-lines.js'

const names: FileNames = {
  tool: 'lmms-eval',
  results: /^(?<stamp>\d{8}_\d{6})_results\.json$/,
  samples: (task, stamp) => `${stamp}_samples_${task}.jsonl`,
}

/** Reads what lmms-eval writes with `--log_samples`: `<date>_results.json` and `<date>_samples_<task>.jsonl`. */
export const lmmsEval: LogReader = makeHarnessReader({
  names,
  version: 'lmms_eval_version',
  readRun(results) {
    const { model: modelName, resolved_cli_args: cli } = objectIn(results['config'])
    const model = textIn(modelName)
    const startedAt = parseLocalTime(textIn(results['date']), textIn(objectIn(cli)['timezone']))
    return { ...(model === undefined ? {} : { model }), ...(startedAt === undefined ? {} : { startedAt }) }
  },
  readSamples,
})

async function* readSamples(file: string, config: JsonObject): AsyncGenerator<ForeignSample> {
  const filters = filterNames(config)
  const isLikelihood = isLikelihoodTask(config)
  for await (const doc of linesByDoc(file)) {
    if (doc.lines.length !== filters.length)
      throw new PipelineError(
        'bundle',
        `${shownPath(file)}: doc ${doc.id} has ${doc.lines.length} lines, and the task has ${filters.length} filters (${filters.join(', ')})`,
      )
    yield convertSample(doc, filters, isLikelihood)
  }
}

/** Fields of a sample line that are not metrics. */
const others = new Set([
  'doc_id',
  'doc',
  'target',
  'arguments',
  'resps',
  'filtered_resps',
  'token_counts',
  'doc_hash',
  'input',
  'input_media',
])

function convertSample({ id, lines }: DocLines, filters: readonly string[], isLikelihood: boolean): ForeignSample {
  const [first = {}] = lines
  const scores: Record<string, Json> = {}
  const extracted: Record<string, Json> = {}
  for (const [index, line] of lines.entries()) {
    const filter = filters[index] ?? 'none'
    for (const [name, value] of Object.entries(line))
      if (!others.has(name) && value !== undefined) scores[filter === 'none' ? name : `${name},${filter}`] = value
    if (line['filtered_resps'] !== undefined) extracted[filter] = line['filtered_resps']
  }
  const { doc, target, input, token_counts: tokens } = first
  const messages = readLoggedPrompt(input)
  return {
    id,
    ...(isObject(doc) ? { doc } : {}),
    ...(messages === undefined ? {} : { messages }),
    ...(target === undefined ? {} : { target }),
    // The answer is not written a second time where no filter changed it.
    answers: withUsage(answersIn(first['resps'] ?? first['filtered_resps'], isLikelihood), tokens),
    scores,
    extracted,
    ...(isLikelihood ? {} : { unread: listUnread(extracted) }),
  }
}

function withUsage(answers: readonly ForeignAnswer[], tokens: Json | undefined): readonly ForeignAnswer[] {
  if (!isList(tokens) || tokens.length !== answers.length) return answers
  return answers.map((answer, index) => {
    const counts = objectIn(tokens[index])
    const input = numberIn(counts['input_tokens'])
    const output = numberIn(counts['output_tokens'])
    if (input === undefined && output === undefined) return answer
    return {
      ...answer,
      usage: { ...(input === undefined ? {} : { input }), ...(output === undefined ? {} : { output }) },
    }
  })
}

/** Converts `20261122_072312` in a time zone to ISO 8601. Without a known zone, the time is unknown. */
function parseLocalTime(date: string | undefined, zone: string | undefined): string | undefined {
  const parts = /^(\d{4})(\d\d)(\d\d)_(\d\d)(\d\d)(\d\d)$/.exec(date ?? '')
  if (parts === null || zone === undefined) return undefined
  const [, year, month, day, hour, minute, second] = parts
  const local = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`)
  try {
    const zonedText = new Date(local).toLocaleString('sv-SE', { timeZone: zone })
    return new Date(2 * local - Date.parse(`${zonedText.replace(' ', 'T')}Z`)).toISOString()
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}
