import { stat } from 'node:fs/promises'
import { PipelineError } from '../../../../base/errors/errors.js'
import { largestRecordLimit } from '../../../../base/files/record-limit.js'
import { shownPath } from '../../../../base/files/shown-path.js'
import { isList, isObject, type Json } from '../../../../base/values/canonical-json.js'
import type { JsonObject } from '../../../../cache/records.js'
import { parseExactJson } from '../../../../stages/input/datasets/json/exact-json.js'
import { itemsOfField } from '../../../../stages/input/datasets/json/json-items.js'
import type { ForeignLog, ForeignSample, ForeignTask, LogReader, ReportedScore } from '../../foreign-log.js'
import { modelArguments, numberIn, objectIn, textIn } from '../harness/harness-values.js'
import { inspectSample } from './inspect-sample.js'
import { fieldsBeside } from '../json-fields.js'
import { openZip, type ZipArchive, type ZipEntry } from '../zip-entries.js'

/** Reads logs of Inspect: `.eval` files and `.json` files. */
export const inspectLogs: LogReader = {
  tool: 'inspect',
  async recognises(path) {
    try {
      if (!(await stat(path)).isFile()) return false
      if (path.endsWith('.eval')) return true
      return path.endsWith('.json') && isHeader(await fieldsBeside(path, 'samples', 3))
    } catch {
      return false
    }
  },
  async open(path) {
    const isZip = path.endsWith('.eval')
    const header = isZip ? await headerInZip(path) : await fieldsBeside(path, 'samples')
    if (!isHeader(header)) throw new PipelineError('bundle', `${shownPath(path)}: this is no log of Inspect`)
    const version = textIn(objectIn(objectIn(header['eval'])['packages'])['inspect_ai'])
    return {
      tool: 'inspect',
      ...(version === undefined ? {} : { toolVersion: version }),
      files: [path],
      tasks: () => readTasks(path, header, isZip),
    } satisfies ForeignLog
  },
}

/** Tells whether fields are a log's header: version, status and evaluation. */
const isHeader = (fields: JsonObject): boolean =>
  'version' in fields && 'status' in fields && isObject(fields['eval']) && 'task' in fields['eval']

/** Reads the header of a log. The log of a killed evaluation has no `header.json`. Its journal names what was started, without results. */
async function headerInZip(path: string): Promise<JsonObject> {
  const zip = await openZip(path)
  try {
    for (const name of ['header.json', '_journal/start.json']) {
      const entry = zip.entries.find(({ fileName }) => fileName === name)
      if (entry !== undefined) return { status: 'started', ...(await jsonIn(zip, entry, path)) }
    }
    throw new PipelineError('bundle', `${shownPath(path)}: it has no header.json, so it is no log of Inspect`)
  } finally {
    await zip.close()
  }
}

async function jsonIn(zip: ZipArchive, entry: ZipEntry, path: string): Promise<JsonObject> {
  const value = parseExactJson(await zip.text(entry), () => `${shownPath(path)}, ${entry.fileName}`) as Json
  if (isObject(value)) return value
  throw new PipelineError('bundle', `${shownPath(path)}, ${entry.fileName}: expected an object`)
}

// eslint-disable-next-line @typescript-eslint/require-await -- the interface is asynchronous
async function* readTasks(path: string, header: JsonObject, isZip: boolean): AsyncGenerator<ForeignTask> {
  const about = objectIn(header['eval'])
  const { task, model, created } = about
  const [modelName, startedAt] = [textIn(model), textIn(created)]
  yield {
    task: textIn(task) ?? 'unknown',
    ...(modelName === undefined ? {} : { model: modelName }),
    modelArgs: modelArguments(about['model_args']),
    generation: objectIn(about['model_generate_config']),
    ...(startedAt === undefined ? {} : { startedAt }),
    source: path,
    ...(header['status'] === 'success' ? {} : { note: describeStatus(textIn(header['status'])) }),
    config: {
      dataset: about['dataset'] ?? null,
      config: about['config'] ?? null,
      task_args: about['task_args'] ?? null,
    },
    reported: reportedIn(header['results']),
    samples: () =>
      addSampleIndices(
        isZip ? samplesInZip(path) : samplesInJson(path, numberIn(objectIn(about['config'])['epochs']) ?? 1),
        objectIn(about['dataset'])['sample_ids'],
      ),
  }
}

/** Gives samples their index among the ids that the log lists in the dataset's order. Inspect numbers samples without an id from 1. */
async function* addSampleIndices(
  samples: AsyncIterable<ForeignSample>,
  listed: Json | undefined,
): AsyncGenerator<ForeignSample> {
  const indices = new Map((isList(listed) ? listed : []).map((id, index) => [id, index]))
  const isListed = indices.size > 0
  for await (const sample of samples) {
    if (!isListed) {
      yield sample
      continue
    }
    const index = indices.get(sample.id) ?? indices.size
    // Unlisted ids come after listed ones.
    indices.set(sample.id, index)
    yield { ...sample, index }
  }
}

const describeStatus = (status = 'unknown'): string =>
  `the evaluation did not end well (its status is "${status}"), so samples may be missing`

/**
 * Reads the numbers that the log reports. A sample's value is a score's own metric, so that `accuracy` and `mean` carry
 * the score's name. Other metrics and other reducers of epochs get names of their own.
 */
function reportedIn(results: Json | undefined): readonly ReportedScore[] {
  const list = objectIn(results)['scores']
  const scores = isList(list) ? list.map(objectIn) : []
  return scores.flatMap(score => {
    const name = reportedName(score, scores)
    const reducer = textIn(score['reducer']) ?? 'mean'
    const base = reducer === 'mean' ? name : `${name}/${reducer}`
    const metrics = Object.values(objectIn(score['metrics'])).map(objectIn)
    const n = numberIn(score['scored_samples'])
    const loggedStderr = numberIn(metrics.find(metric => metric['name'] === 'stderr')?.['value'])
    // Inspect writes 0 where a single sample has no standard error.
    const stderr = loggedStderr === 0 && n !== undefined && n < 2 ? undefined : loggedStderr
    return Object.entries(objectIn(score['metrics'])).flatMap(([key, entry]): ReportedScore[] => {
      const metric = objectIn(entry)
      // Two metrics of one name, such as two groupings, have different keys.
      const kind = key.split('/').at(-1) ?? key
      const value = numberIn(metric['value'])
      if (value === undefined || metric['name'] === 'stderr') return []
      const isMean = kind === 'accuracy' || kind === 'mean'
      return [
        {
          metric: isMean ? base : `${base}/${kind}`,
          value,
          ...(isMean && stderr !== undefined ? { stderr } : {}),
          ...(n === undefined ? {} : { n }),
        },
      ]
    })
  })
}

/** Adds the scorer's name if values of two scorers have the same name. */
function reportedName(score: JsonObject, scores: readonly JsonObject[]): string {
  const [name, scorer] = [textIn(score['name']) ?? 'score', textIn(score['scorer'])]
  const isShared = scores.some(other => other['name'] === name && other['scorer'] !== scorer)
  return isShared && scorer !== undefined && scorer !== name ? `${scorer}/${name}` : name
}

const sampleName = /^samples\/(?<id>.*)_epoch_(?<epoch>\d+)\.json$/

/** Reads the samples doc by doc: the epochs of a doc are far apart in the file. */
async function* samplesInZip(path: string): AsyncGenerator<ForeignSample> {
  const zip = await openZip(path)
  try {
    const docs = new Map<string, ZipEntry[]>()
    for (const entry of zip.entries) {
      const id = sampleName.exec(entry.fileName)?.groups?.['id']
      if (id === undefined) continue
      const epochs = docs.get(id)
      if (epochs === undefined) docs.set(id, [entry])
      else epochs.push(entry)
    }
    for (const epochs of docs.values())
      for (const entry of epochs)
        yield inspectSample(await jsonIn(zip, entry, path), `${shownPath(path)}, ${entry.fileName}`)
  } finally {
    await zip.close()
  }
}

async function* samplesInJson(path: string, epochs: number): AsyncGenerator<ForeignSample> {
  const docs = new Map<string | number, ForeignSample[]>()
  for await (const { text, line } of itemsOfField(path, 'samples', largestRecordLimit)) {
    const locate = (): string => `${shownPath(path)}:${line}`
    const sample = inspectSample(objectIn(parseExactJson(text, locate) as Json), locate())
    if (epochs === 1) yield sample
    else docs.set(sample.id, [...(docs.get(sample.id) ?? []), sample])
  }
  for (const samples of docs.values()) yield* samples
}
