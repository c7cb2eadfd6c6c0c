import { basename, extname } from 'node:path'
import { PipelineError } from '../../../base/errors/errors.js'
import { largestRecordLimit } from '../../../base/files/record-limit.js'
import { shownPath } from '../../../base/files/shown-path.js'
import { isSecretName } from '../../../base/text/secrets.js'
import type { Json } from '../../../base/values/canonical-json.js'
import { present } from '../../../base/values/present.js'
import type { JsonObject } from '../../../cache/records.js'
import { numberedLines } from '../../../stages/input/datasets/text-lines.js'
import type {
  ForeignAnswer,
  ForeignLog,
  ForeignMessage,
  ForeignSample,
  ForeignTask,
  LogReader,
  ReportedScore,
} from '../foreign-log.js'
import { type JsonPart, jsonParts, type PartUse } from './json-parts.js'
import { inTurn } from './in-turn.js'
import {
  chatMessage,
  fieldsIn,
  isFields,
  listIn,
  nameIn,
  numberIn,
  parseFields,
  parseValue,
  scoresIn,
  textIn,
} from './loose-values.js'

const tool = 'promptfoo'

/**
 * Reads what `promptfoo eval -o results.json` (or `results.jsonl`) writes. Each pair of a prompt and a provider, a
 * column of promptfoo's table, is a task of one model.
 */
export const promptfooLogs: LogReader = {
  tool,
  async recognises(path) {
    try {
      if (path.endsWith('.jsonl')) {
        for await (const { row } of readRows(path)) return 'promptIdx' in row && 'testIdx' in row
        return false
      }
      if (!path.endsWith('.json')) return false
      for await (const { name } of jsonParts(path, name => (name === 'evalId' ? 'value' : 'skip')))
        return name === 'evalId'
      return false
    } catch (error) {
      if (error instanceof PipelineError) return false
      throw error
    }
  },
  async open(path) {
    const head = await readHead(path)
    const columns = await readColumns(path, head)
    if (columns.length === 0) throw new PipelineError('dataset', `${shownPath(path)} holds no results of promptfoo`)
    const version = nameIn(head.metadata?.['promptfooVersion'])
    const log: ForeignLog = {
      tool,
      ...present({ toolVersion: version }),
      files: [path],
      tasks: () => inTurn(columns.map(column => makeTask(path, head, { column, columns }))),
    }
    return log
  },
}

interface Head {
  readonly createdAt?: string
  readonly config: JsonObject
  readonly metadata?: JsonObject
  readonly prompts: readonly Json[]
}

/** Chooses how the parts before the results are read. The tests among the configuration repeat what each result says. */
function headUse(name: string): PartUse {
  if (name === 'results' || name === 'config') return 'fields'
  if (name === 'config.tests' || name === 'config.env') return 'skip'
  return /^(metadata|config\.[^.]+|results\.(prompts|timestamp))$/.test(name) ? 'value' : 'skip'
}

async function readHead(path: string): Promise<Head> {
  const values: Record<string, Json> = {}
  if (!path.endsWith('.jsonl'))
    for await (const { name, text, line } of jsonParts(path, headUse))
      values[name] = parseValue(text, () => `${shownPath(path)}:${line}`)
  const metadata = fieldsIn(values['metadata'])
  const createdAt = nameIn(metadata?.['evaluationCreatedAt']) ?? nameIn(values['results.timestamp'])
  const config = Object.entries(values).flatMap(([name, value]) =>
    name.startsWith('config.') ? [[name.slice('config.'.length), value] as const] : [],
  )
  return {
    ...present({ createdAt, metadata }),
    config: Object.fromEntries(config),
    prompts: listIn(values['results.prompts']) ?? [],
  }
}

interface Row {
  readonly row: JsonObject
  readonly line: number
}

/** @param column yields only the rows of this prompt and provider */
async function* readRows(path: string, column?: number): AsyncGenerator<Row> {
  // Most rows of other columns are passed over without parsing them.
  const mark = new RegExp(`"promptIdx":\\s*${column ?? ''}\\b`)
  for await (const { text, line } of path.endsWith('.jsonl') ? readLines(path) : readResults(path)) {
    if (column !== undefined && !mark.test(text)) continue
    const row = parseFields(text, () => `${shownPath(path)}:${line}`)
    if (column === undefined || row['promptIdx'] === column) yield { row, line }
  }
}

async function* readResults(path: string): AsyncGenerator<JsonPart> {
  const choosePartUse = (name: string): PartUse =>
    name === 'results' ? 'fields' : name === 'results.results' ? 'items' : 'skip'
  for await (const part of jsonParts(path, choosePartUse)) if (part.name === 'results.results') yield part
}

async function* readLines(path: string): AsyncGenerator<JsonPart> {
  for await (const { text, line } of numberedLines(path, largestRecordLimit)) yield { name: '', text, line }
}

interface Column {
  readonly index: number
  readonly model?: string
  readonly prompt: string
  readonly metrics?: JsonObject
}

/** A file of lines has no list of its columns, so that its rows are read once for them. */
async function readColumns(path: string, { prompts }: Head): Promise<readonly Column[]> {
  if (prompts.length > 0)
    return prompts.map((value, index) => {
      const prompt = fieldsIn(value)
      const metrics = fieldsIn(prompt?.['metrics'])
      return {
        index,
        prompt: textIn(prompt?.['raw']) ?? '',
        ...present({ model: nameIn(prompt?.['provider']), metrics }),
      }
    })
  const columns = new Map<number, Column>()
  for await (const { row } of readRows(path)) {
    const index = numberIn(row['promptIdx'])
    if (index === undefined || columns.has(index)) continue
    const provider = fieldsIn(row['provider'])
    const model = nameIn(provider?.['label']) ?? nameIn(provider?.['id'])
    const prompt = fieldsIn(row['prompt'])
    columns.set(index, { index, prompt: textIn(prompt?.['label']) ?? '', ...present({ model }) })
  }
  return [...columns.values()].sort((left, right) => left.index - right.index)
}

function makeTask(
  path: string,
  { config, createdAt }: Head,
  { column, columns }: { readonly column: Column; readonly columns: readonly Column[] },
): ForeignTask {
  const prompts = [...new Set(columns.map(({ prompt }) => prompt))]
  const name = nameIn(config['description']) ?? basename(path, extname(path))
  const taskName = name.replace(/[^\p{L}\p{N}._-]+/gu, '_')
  const reported = reportedIn(column.metrics)
  return {
    task: prompts.length > 1 ? `${taskName}_prompt${prompts.indexOf(column.prompt) + 1}` : taskName,
    source: path,
    reported,
    higherIsBetter: Object.fromEntries(
      ['pass', 'score', ...reported.map(({ metric }) => metric)].map(metricName => [metricName, true]),
    ),
    ...present({ model: column.model, startedAt: createdAt }),
    ...(Object.keys(config).length === 0 ? {} : { config: withoutSecretFields(config) as JsonObject }),
    async *samples() {
      for await (const { row, line } of readRows(path, column.index))
        yield convertSample(row, () => `${shownPath(path)}:${line}`)
    },
  }
}

/** The configuration of a provider may contain an API key. */
function withoutSecretFields(value: Json): Json {
  if (Array.isArray(value)) return (value as readonly Json[]).map(withoutSecretFields)
  if (!isFields(value)) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => !isSecretName(name) && !/apiKey$/i.test(name))
      .map(([name, inner]) => [name, withoutSecretFields(inner ?? null)]),
  )
}

/** Sums of scores become means. A result with an error has not passed, and has the score 0. */
function reportedIn(metrics: JsonObject | undefined): readonly ReportedScore[] {
  const counts = ['testPassCount', 'testFailCount', 'testErrorCount'].map(name => numberIn(metrics?.[name]) ?? 0)
  const n = counts.reduce((sum, count) => sum + count, 0)
  if (metrics === undefined || n === 0) return []
  const weights = scoresIn(metrics['namedScoreWeights'])
  const countsByName = scoresIn(metrics['namedScoresCount'])
  const sum = numberIn(metrics['score'])
  return [
    { metric: 'pass', value: (counts[0] ?? 0) / n, n },
    ...(sum === undefined ? [] : [{ metric: 'score', value: sum / n, n }]),
    ...Object.entries(scoresIn(metrics['namedScores'])).flatMap(([metric, total]) => {
      const weight = weights[metric] ?? countsByName[metric]
      // A derived metric has no samples, so that the log counts none for it.
      if (weight === undefined) return Object.keys(countsByName).length === 0 ? [] : [{ metric, value: total }]
      if (weight === 0) return []
      return [{ metric, value: total / weight, ...present({ n: countsByName[metric] }) }]
    }),
  ]
}

function convertSample(row: JsonObject, locate: () => string): ForeignSample {
  const id = numberIn(row['testIdx'])
  if (id === undefined) throw new PipelineError('dataset', `${locate()}  this result has no testIdx`)
  const testCase = fieldsIn(row['testCase'])
  const doc = fieldsIn(row['vars']) ?? fieldsIn(testCase?.['vars'])
  const success = row['success']
  return {
    id,
    ...present({ doc, messages: messagesIn(row['prompt']), target: targetIn(testCase) }),
    answers: [convertAnswer(row)],
    scores: {
      ...(typeof success === 'boolean' ? { pass: Number(success) } : {}),
      ...scoresIn({ score: row['score'] }),
      ...scoresIn(row['namedScores']),
    },
  }
}

/** A prompt is a text, or a list of messages that is written as JSON. */
function messagesIn(value: Json | undefined): readonly ForeignMessage[] | undefined {
  const raw = textIn(value) ?? textIn(fieldsIn(value)?.['raw'])
  if (raw === undefined) return undefined
  const messages = raw.trimStart().startsWith('[') ? chatIn(raw) : undefined
  return messages ?? [{ role: 'user', content: raw }]
}

function chatIn(raw: string): readonly ForeignMessage[] | undefined {
  let value: unknown
  try {
    value = JSON.parse(raw)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
  const messages = (listIn(value) ?? []).map(chatMessage)
  return messages.length > 0 && messages.every(message => message !== undefined) ? messages : undefined
}

const comparisons = new Set(['equals', 'contains', 'icontains', 'starts-with', 'is-json', 'similar', 'factuality'])

/** Finds the value to compare the output with, if there is exactly one. */
function targetIn(testCase: JsonObject | undefined): string | undefined {
  const values = (listIn(testCase?.['assert']) ?? []).flatMap(entry => {
    const assertion = fieldsIn(entry)
    const value = textIn(assertion?.['value'])
    return value !== undefined && comparisons.has(textIn(assertion?.['type']) ?? '') ? [value] : []
  })
  return new Set(values).size === 1 ? values[0] : undefined
}

/** promptfoo's failure code for a failed request. Other failures come from an assertion. */
const requestFailed = 2

function convertAnswer(row: JsonObject): ForeignAnswer {
  const response = fieldsIn(row['response'])
  const output = response?.['output']
  const text =
    output === undefined || output === null ? undefined : typeof output === 'string' ? output : JSON.stringify(output)
  const failure = row['failureReason'] === requestFailed || text === undefined ? nameIn(row['error']) : undefined
  const error = nameIn(response?.['error']) ?? failure
  const isCached = response?.['cached'] === true
  const tokens = fieldsIn(response?.['tokenUsage'])
  const usage = present({ input: numberIn(tokens?.['prompt']), output: numberIn(tokens?.['completion']) })
  return present({
    text: error === undefined ? text : undefined,
    error,
    finish: nameIn(response?.['finishReason']),
    reasoning: nameIn(response?.['reasoning']),
    // A response from promptfoo's own cache took no time, which says nothing of the model.
    latencyMs: isCached ? undefined : numberIn(row['latencyMs']),
    // A provider that does not count tokens states 0.
    usage: isCached || Object.values(usage).every(count => count === 0) ? undefined : usage,
  })
}
