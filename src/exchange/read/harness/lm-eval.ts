import { PipelineError } from '../../../../base/errors/errors.js'
import { shownPath } from '../../../../base/files/shown-path.js'
import { isList, isObject, type Json } from '../../../../base/values/canonical-json.js'
import type { JsonObject } from '../../../../cache/records.js'
import type { ForeignSample, LogReader } from '../../foreign-log.js'
import type { FileNames } from './harness-files.js'
import { makeHarnessReader } from './harness-reader.js'
import { answersIn, filterNames, isLikelihoodTask, listUnread, numberIn, objectIn, textIn } from './harness-values.js'
import { comparePrompt, readLoggedPrompt } from './logged-prompt.js'
import { linesByDoc, type DocLines } from './sample-lines.js'

const names: FileNames = {
  tool: 'lm-eval',
  results: /^results_(?<stamp>\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.?\d*)\.json$/,
  samples: (task, stamp) => `samples_${task}_${stamp}.jsonl`,
}

/** Reads what lm-eval writes with `--log_samples`: `results_<date>.json` and `samples_<task>_<date>.jsonl`. */
export const lmEval: LogReader = makeHarnessReader({
  names,
  version: 'lm_eval_version',
  readRun(results) {
    const model = textIn(objectIn(results['config'])['model']) ?? textIn(results['model_source'])
    const seconds = numberIn(results['date'])
    return {
      ...(model === undefined ? {} : { model }),
      ...(seconds === undefined ? {} : { startedAt: new Date(seconds * 1000).toISOString() }),
    }
  },
  readSamples,
})

async function* readSamples(file: string, config: JsonObject): AsyncGenerator<ForeignSample> {
  const filters = filterNames(config)
  const isLikelihood = isLikelihoodTask(config)
  for await (const doc of linesByDoc(file)) yield convertSample(file, doc, filters, isLikelihood)
}

/** Fields of a line that are no metric, in versions that do not list the metrics. */
const others = new Set([
  'doc_id',
  'doc',
  'target',
  'arguments',
  'resps',
  'filtered_resps',
  'filter',
  'metrics',
  'doc_hash',
  'prompt_hash',
  'target_hash',
])

function convertSample(
  file: string,
  { id, lines }: DocLines,
  filters: readonly string[],
  isLikelihood: boolean,
): ForeignSample {
  const [first = {}] = lines
  const scores: Record<string, Json> = {}
  const extracted: Record<string, Json> = {}
  for (const [index, line] of lines.entries()) {
    const filter = textIn(line['filter']) ?? filters[index] ?? 'none'
    if (filter in extracted)
      throw new PipelineError('bundle', `${shownPath(file)}: doc ${id} has two lines of the filter ${filter}`)
    extracted[filter] = isLikelihood ? (line['filtered_resps'] ?? null) : takeOnly(line['filtered_resps'] ?? null)
    for (const name of metricNames(line)) {
      const value = line[name]
      if (value !== undefined) scores[filter === 'none' ? name : `${name},${filter}`] = value
    }
  }
  const { doc, target } = first
  const all = requestsIn(first['arguments'])
  const requests = isLikelihood ? withQuestion(all) : all
  const contexts = new Set(requests.map(([context]) => comparePrompt(context)))
  // Some tasks, such as WinoGrande, ask for one ending after each of several texts. Then the texts are the choices.
  const [prompt] = isLikelihood && contexts.size > 1 ? [undefined] : (requests[0] ?? [])
  const isText = prompt === undefined ? 0 : 1
  const messages = readLoggedPrompt(prompt)
  return {
    id,
    ...(isObject(doc) ? { doc } : {}),
    ...(messages === undefined ? {} : { messages }),
    ...(target === undefined ? {} : { target }),
    ...(isLikelihood && requests.length > 1 ? { choices: requests.map(request => textIn(request[isText]) ?? '') } : {}),
    answers: answersIn(first['resps'], isLikelihood).slice(
      0,
      requests.length < all.length ? requests.length : undefined,
    ),
    scores,
    extracted,
    ...(isLikelihood ? {} : { unread: listUnread(extracted) }),
  }
}

/** For mutual information, lm-eval asks for each choice a second time without the question. These requests come last. */
function withQuestion(requests: ReturnType<typeof requestsIn>): ReturnType<typeof requestsIn> {
  const half = requests.length / 2
  const isBare = requests.every(([context], index) => index >= half === (comparePrompt(context) === ''))
  return requests.length > 1 && isBare ? requests.slice(0, half) : requests
}

/** The text that a filter left. lm-eval has it in a list. */
const takeOnly = (value: Json): Json => (isList(value) && value.length === 1 ? (value[0] ?? null) : value)

function metricNames(line: JsonObject): readonly string[] {
  const { metrics } = line
  if (isList(metrics)) return metrics.filter(name => typeof name === 'string')
  return Object.keys(line).filter(name => !others.has(name))
}

/** The arguments of each request: `{gen_args_0: {arg_0: prompt, arg_1: …}}`, or lists in older versions. */
function requestsIn(value: Json | undefined): readonly (readonly (Json | undefined)[])[] {
  const requests = isList(value) ? value : Object.values(objectIn(value))
  return requests.map(request => (isList(request) ? request : Object.values(objectIn(request))))
}
