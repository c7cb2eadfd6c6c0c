import { canonicalJson, type Json } from '../../base/values/canonical-json.js'
import { present } from '../../base/values/present.js'
import type { FailureRow, ItemRow, ResponseRow, VerdictRow } from '../../cache/bundle/portable.js'
import { sha256, type AnswerDigest, type CodeKey, type ConfigKey, type JudgeConfigKey } from '../../cache/digest.js'
import { importedRun } from '../../cache/facts/known-duration.js'
import { answerDigest, inputKey, judgeRecordKey, responseKey, scoreKey } from '../../cache/keys.js'
import type { ChatMessage, Input, JsonObject, JudgeRecord, ResponseBody, ScoreBody } from '../../cache/records.js'
import { answerMarks } from '../../stages/judge/score-marks.js'
import type { ForeignAnswer, ForeignSample } from './foreign-log.js'
import { plainJson, plainObject } from './plain-json.js'

/**
 * An input that another tool sent. The mark gives it a key that no request of this program can have, so an imported answer never answers a request.
 */
export interface ImportedInput extends Input {
  readonly imported: {
    readonly tool: string
    readonly log: string
    readonly task: string
    readonly id: string
    readonly choice?: number | undefined
  }
}

/** The settings that all docs of an imported task share. */
export interface ImportedTask {
  readonly tool: string
  /** The digest of the log's files. */
  readonly log: string
  readonly task: string
  /** The task's name in the log. It is part of the keys, so that a renamed task shares its answers. */
  readonly loggedTask: string
  readonly config: ConfigKey
  readonly code: CodeKey
  readonly judging: { readonly config: JudgeConfigKey; readonly scorer: CodeKey }
  /** The time of the answers, if the log states it. Milliseconds since 1970. */
  readonly at: number
  /** The time of failures. It identifies failures in a store, so a copy of the log must give the same time. */
  readonly failedAt: number
}

/** The rows of one doc. */
export interface DocRows {
  readonly items: readonly ItemRow[]
  readonly responses: readonly ResponseRow[]
  readonly failures: readonly FailureRow[]
  readonly verdict?: VerdictRow
  readonly values: ScoreBody['values']
  /** The names of the values of an answer that could not be read. */
  readonly unparsed: readonly string[]
}

/** One doc of a log: its samples are the repeats (epochs) of the same question. */
export interface ImportedDoc {
  readonly index: number
  readonly samples: readonly ForeignSample[]
  readonly messages: readonly ChatMessage[]
}

export function docRows(about: ImportedTask, { index, samples, messages }: ImportedDoc): DocRows {
  const [first] = samples
  if (first === undefined) throw new Error('internal error: a doc without samples')
  const id = String(first.id)
  const record = judgeRecordKey(first.rendered?.record ?? makeJudgeRecord(first))
  const docKeys = { task: about.task, doc_index: index, doc_id: id }
  const items: ItemRow[] = []
  const responses: ResponseRow[] = []
  const failures: FailureRow[] = []
  const answers: { readonly choice: number; readonly sample: number; readonly digest: AnswerDigest }[] = []
  const generated: ResponseBody[] = []
  const counts = new Map<number, number>()
  for (const foreignSample of samples) {
    for (const answer of listAnswers(foreignSample)) {
      const { choice = 0 } = answer
      const sample = counts.get(choice) ?? 0
      counts.set(choice, sample + 1)
      const input = inputKey(makeImportedInput(about, { id, messages, sample: first, answer }))
      const key = responseKey({ input: input.key, config: about.config, code: about.code, sample })
      items.push({
        ...docKeys,
        choice,
        sample,
        draw: null,
        response_key: key,
        input_key: input.key,
        input: input.preimage,
        config_key: about.config,
        code_key: about.code,
        record_key: record.key,
        record: record.preimage,
      })
      if (answer.error !== undefined) {
        const { task, doc_index } = docKeys
        const message = answer.error
        failures.push({
          task,
          doc_index,
          choice,
          sample,
          class: 'invalid_request',
          message,
          attempts: 1,
          at: about.failedAt,
        })
        continue
      }
      const responseBody = makeResponseBody(answer)
      if (answer.logprob === undefined) generated.push(responseBody)
      const { key: digest, preimage: body } = answerDigest(responseBody)
      responses.push({
        response_key: key,
        answer: digest,
        body,
        meta: canonicalJson(makeResponseMeta(answer, about.at)),
      })
      answers.push({ choice, sample, digest })
    }
  }
  items.sort(byChoice)
  const values = computeScoreValues(samples)
  const isScored = failures.length === 0 && Object.keys(values).length > 0
  if (!isScored) return { items, responses, failures, values: {}, unparsed: [] }
  const digests = answers.sort(byChoice).map(({ digest }) => digest)
  const marks = generated.length === 0 ? {} : present(answerMarks(generated, []))
  const unparsed = listUnparsed(Object.keys(values), samples)
  const body: ScoreBody = { ...makeOutcome(values, unparsed), values, extracted: readExtracted(samples), ...marks }
  const verdict: VerdictRow = {
    ...docKeys,
    score_key: scoreKey({ answers: digests, record: record.key, ...about.judging }),
    answers: JSON.stringify(digests),
    body: canonicalJson(body as object as Json),
    record_key: record.key,
    revision: null,
  }
  return { items, responses, failures, verdict, values, unparsed }
}

/** Lists the values after filters that read nothing of an answer. */
function listUnparsed(names: readonly string[], samples: readonly ForeignSample[]): readonly string[] {
  const unread = new Set(samples.flatMap(sample => sample.unread ?? []))
  if (unread.size === 0) return []
  return names.filter(
    name => unread.has(name) || unread.has(name.includes(',') ? name.slice(name.lastIndexOf(',') + 1) : 'none'),
  )
}

const makeOutcome = (
  values: ScoreBody['values'],
  unparsed: readonly string[],
): Pick<ScoreBody, 'outcome' | 'reason' | 'unparsed'> =>
  unparsed.length === 0
    ? { outcome: 'scored' }
    : {
        outcome: 'unparsed',
        reason: 'the log says that nothing of the answer could be read',
        ...(unparsed.length < Object.keys(values).length && { unparsed }),
      }

interface Placed {
  readonly choice: number
  readonly sample: number
}

const byChoice = (a: Placed, b: Placed): number => a.choice - b.choice || a.sample - b.sample

/** Makes the judge record of a sample. It contains the doc's id, so that docs with the same content can have different scores. */
function makeJudgeRecord({ id, doc = {}, target = null, choices }: ForeignSample): JudgeRecord {
  const name = 'doc_id' in doc ? 'imported_id' : 'doc_id'
  return {
    target: plainJson(target),
    ...(choices === undefined ? {} : { choices }),
    doc: { ...plainObject(doc), [name]: id },
  }
}

/** Lists a sample's answers. A sample without an answer is a failure with the log's error text. */
function listAnswers({ answers, error }: ForeignSample): readonly ForeignAnswer[] {
  if (answers.length > 0) return answers
  return [{ error: error ?? 'The log has no answer to this request.' }]
}

function makeImportedInput(
  { tool, log, loggedTask }: ImportedTask,
  of: {
    readonly id: string
    readonly messages: readonly ChatMessage[]
    readonly sample: ForeignSample
    readonly answer: ForeignAnswer
  },
): ImportedInput {
  const { choice, logprob } = of.answer
  const isLikelihood = logprob !== undefined
  const continuation = choice === undefined ? undefined : of.sample.choices?.[choice]
  // Two choices may have the same text, or the log may not say their texts. They have separate answers.
  const isRepeated =
    choice !== undefined && (continuation === undefined || of.sample.choices?.indexOf(continuation) !== choice)
  return {
    type: isLikelihood ? 'loglikelihood' : 'generate_until',
    messages: of.messages,
    ...(isLikelihood && continuation !== undefined ? { continuation } : {}),
    imported: { tool, log, task: loggedTask, id: of.id, ...(isRepeated ? { choice } : {}) },
  }
}

const finishReasons: readonly ResponseBody['finishReason'][] = ['stop', 'length', 'content_filter', 'tool_calls']

function makeResponseBody({ text = '', finish, reasoning, logprob, isGreedy }: ForeignAnswer): ResponseBody {
  const finishReason = finishReasons.find(reason => reason === finish) ?? 'unknown'
  return {
    text,
    finishReason,
    ...present({
      rawFinishReason: finishReason === 'unknown' ? finish : undefined,
      reasoning,
      logprob: logprob !== undefined && Number.isFinite(logprob) ? logprob : undefined,
      isGreedy,
    }),
  }
}

/** Makes a response's metadata. An unknown duration is stored as 0. No speed or cost is computed for imported runs. */
function makeResponseMeta({ usage, latencyMs = 0 }: ForeignAnswer, at: number): JsonObject {
  const tokens = present({ inputTokens: usage?.input, outputTokens: usage?.output })
  return {
    durationMs: latencyMs,
    attempts: 1,
    answeredAt: at,
    run: importedRun,
    ...(Object.keys(tokens).length === 0 ? {} : { usage: tokens }),
  }
}

/** Combines the scores of several epochs. Numbers are averaged. Any other value is taken from the first epoch that has one. */
function computeScoreValues(samples: readonly ForeignSample[]): ScoreBody['values'] {
  const valuesByMetric = new Map<string, Json[]>()
  for (const { scores } of samples)
    for (const [name, value] of Object.entries(scores)) {
      const metric = name.endsWith(',none') ? name.slice(0, -',none'.length) : name
      const number = typeof value === 'boolean' ? Number(value) : value
      if (number === null || (typeof number === 'number' && !Number.isFinite(number))) continue
      valuesByMetric.set(metric, [...(valuesByMetric.get(metric) ?? []), plainJson(number)])
    }
  return Object.fromEntries([...valuesByMetric].map(([metric, values]) => [metric, averageValues(values)]))
}

function averageValues(values: readonly Json[]): Json {
  const numbers = values.filter(value => typeof value === 'number')
  if (numbers.length === 0 || numbers.length < values.length) return values[0] ?? null
  return numbers.reduce((sum, value) => sum + value, 0) / numbers.length
}

function readExtracted(samples: readonly ForeignSample[]): ScoreBody['extracted'] {
  const [first] = samples
  return plainObject(first?.extracted ?? {}) as ScoreBody['extracted']
}

/** Computes the digest that identifies a log by the content of its files. */
export const logDigest = (files: readonly string[], reading?: Json): string =>
  sha256(canonicalJson([...[...files].sort(), ...(reading === undefined ? [] : [reading])]))
