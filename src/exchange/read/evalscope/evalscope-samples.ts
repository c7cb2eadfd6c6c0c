import { closeSync, openSync, readSync } from 'node:fs'
import { growingColumn } from '../../../../base/collections/growing-column.js'
import { PipelineError } from '../../../../base/errors/errors.js'
import { largestRecordLimit } from '../../../../base/files/record-limit.js'
import { shownPath } from '../../../../base/files/shown-path.js'
import { present } from '../../../../base/values/present.js'
import type { Json } from '../../../../base/values/canonical-json.js'
import type { JsonObject } from '../../../../cache/records.js'
import { textLines } from '../../../../stages/input/datasets/text-lines.js'
import type { ForeignAnswer, ForeignMessage, ForeignSample } from '../../foreign-log.js'
import {
  chatMessage,
  fieldsIn,
  listIn,
  nameIn,
  numberIn,
  parseFields,
  parseFieldsFast,
  scoresIn,
  textIn,
} from '../loose-values.js'

/**
 * Yields a benchmark's samples. Predictions and reviews are in different orders. The positions of lines are held in memory, so that each prediction
 * can be read with its review.
 */
export async function* scopeSamples({
  predictions,
  reviews,
  repeats,
}: {
  readonly predictions?: string
  readonly reviews?: string
  readonly repeats: number
}): AsyncGenerator<ForeignSample> {
  const reviewed = reviews === undefined ? undefined : await rowsByIndex(reviews)
  try {
    if (predictions === undefined) {
      if (reviewed !== undefined)
        for (const row of reviewed.all()) yield convertSample(row.index, { repeats, review: row.fields })
      return
    }
    const predicted = await rowsByIndex(predictions)
    try {
      for (const { index, fields } of predicted.all())
        yield convertSample(index, { repeats, prediction: fields, ...present({ review: reviewed?.at(index) }) })
    } finally {
      predicted.close()
    }
  } finally {
    reviewed?.close()
  }
}

interface IndexedRow {
  readonly index: number
  readonly fields: JsonObject
}

interface IndexedRows {
  /** Returns the last row of an index, as EvalScope does when it continues a run. */
  at(index: number): JsonObject | undefined
  /** Yields the last row of each index in the order of indexes, so that the repetitions of a doc follow each other. */
  all(): Generator<IndexedRow>
  close(): void
}

/** Reads a file once, checks each of its lines, and keeps where they are. */
async function rowsByIndex(file: string): Promise<IndexedRows> {
  const starts = growingColumn()
  const lastOf = new Map<number, number>()
  let start = 0
  let line = 0
  for await (const lines of textLines(file, largestRecordLimit)) {
    for (const text of lines) {
      starts.push(start)
      start += Buffer.byteLength(text) + 1
      if (text.trim() !== '') lastOf.set(parseSampleIndex(text, `${shownPath(file)}:${line + 1}`), line)
      line++
    }
  }
  starts.push(start)
  const handle = openSync(file, 'r')
  const read = (at: number): JsonObject => {
    const [from, to] = [starts.at(at), starts.at(at + 1)]
    const bytes = Buffer.alloc(to - from)
    const length = readSync(handle, bytes, 0, bytes.length, from)
    return parseFields(bytes.toString('utf8', 0, length), () => `${shownPath(file)}:${at + 1}`)
  }
  return {
    at: index => {
      const position = lastOf.get(index)
      return position === undefined ? undefined : read(position)
    },
    *all() {
      for (const index of Float64Array.from(lastOf.keys()).sort()) {
        const at = lastOf.get(index)
        if (at !== undefined) yield { index, fields: read(at) }
      }
    },
    close: () => {
      closeSync(handle)
    },
  }
}

function parseSampleIndex(text: string, location: string): number {
  const fields = parseFieldsFast(text, () => location)
  const index = numberIn(fields['index'])
  if (index !== undefined && ('model_output' in fields || 'sample_score' in fields)) return index
  throw new PipelineError(
    'dataset',
    `${location}  not a prediction or a review of EvalScope 1.0 or later: it has ${Object.keys(fields).join(', ')}`,
  )
}

function convertSample(
  index: number,
  {
    prediction,
    review,
    repeats,
  }: { readonly prediction?: JsonObject; readonly review?: JsonObject; readonly repeats: number },
): ForeignSample {
  const row = prediction ?? review
  const scored = fieldsIn(review?.['sample_score'])
  const score = fieldsIn(scored?.['score'])
  const extracted = score?.['extracted_prediction']
  const messages = listIn(row?.['messages']) ?? []
  const doc = fieldsIn(row?.['metadata']) ?? fieldsIn(scored?.['sample_metadata'])
  const status = textIn(score?.['status'])
  // EvalScope numbers the repetitions of a doc one after another.
  return {
    id: numberIn(scored?.['group_id']) ?? Math.floor(index / repeats),
    ...(repeats > 1 ? { epoch: numberIn(scored?.['generation_index']) ?? index % repeats } : {}),
    ...(doc === undefined || Object.keys(doc).length === 0 ? {} : { doc }),
    messages: askedIn(messages),
    ...present({ target: targetIn(review?.['target']) }),
    answers:
      prediction === undefined
        ? [{ ...answerIn(messages), ...present({ text: textIn(score?.['prediction']) }) }]
        : [convertAnswer(prediction)],
    scores: scoresIn(score?.['value']),
    ...(extracted === undefined || extracted === null ? {} : { extracted: { answer: extracted } }),
    ...(status === undefined || status === 'success'
      ? {}
      : { error: nameIn(score?.['explanation']) ?? `the review failed (${status})` }),
  }
}

function targetIn(value: Json | undefined): Json | undefined {
  const list = listIn(value)
  return list?.length === 1 ? list[0] : value
}

/** Selects the messages before the model's answer, which has the source `generate`. Messages of examples in the prompt do not. */
function askedIn(messages: readonly Json[]): readonly ForeignMessage[] {
  const first = messages.findIndex(message => fieldsIn(message)?.['source'] === 'generate')
  const promptMessages = first === -1 ? messages : messages.slice(0, first)
  return promptMessages.map(chatMessage).filter(message => message !== undefined)
}

const finishWords: Readonly<Record<string, string>> = { max_tokens: 'length', model_length: 'length' }

function convertAnswer(prediction: JsonObject): ForeignAnswer {
  const output = fieldsIn(prediction['model_output'])
  const choice = fieldsIn(listIn(output?.['choices'])?.[0])
  const usage = fieldsIn(output?.['usage'])
  const tokens = present({ input: numberIn(usage?.['input_tokens']), output: numberIn(usage?.['output_tokens']) })
  const stop = nameIn(choice?.['stop_reason'])
  const seconds = numberIn(output?.['time'])
  return {
    ...readContent(fieldsIn(choice?.['message'])),
    ...present({
      finish: finishWords[stop ?? ''] ?? stop,
      error: nameIn(output?.['error']),
      latencyMs: seconds === undefined ? undefined : seconds * 1000,
      usage: Object.keys(tokens).length === 0 ? undefined : tokens,
    }),
  }
}

const answerIn = (messages: readonly Json[]): ForeignAnswer =>
  readContent(fieldsIn(messages.findLast(message => fieldsIn(message)?.['source'] === 'generate')))

/** The content of a message is a text, or a list with the reasoning before the text. */
function readContent(message: JsonObject | undefined): ForeignAnswer {
  const content = message?.['content']
  if (typeof content === 'string') return { text: content }
  const parts = (listIn(content) ?? []).map(fieldsIn)
  const joinTexts = (name: string): string | undefined => {
    const texts = parts.map(part => textIn(part?.[name])).filter(text => text !== undefined)
    return texts.length === 0 ? undefined : texts.join('')
  }
  return present({ text: joinTexts('text'), reasoning: joinTexts('reasoning') })
}
