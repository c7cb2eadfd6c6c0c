import { PipelineError } from '../../../../base/errors/errors.js'
import { present } from '../../../../base/values/present.js'
import { isList, isObject, type Json } from '../../../../base/values/canonical-json.js'
import type { JsonObject } from '../../../../cache/records.js'
import type { ForeignAnswer, ForeignMessage, ForeignPart, ForeignSample } from '../../foreign-log.js'
import { numberIn, objectIn, textIn } from '../harness/harness-values.js'

/** Reads one sample of a log of Inspect. @param location names it in messages */
export function inspectSample(sample: JsonObject, location: string): ForeignSample {
  const { id, epoch, target, choices, metadata, error } = sample
  if (typeof id !== 'string' && typeof id !== 'number')
    throw new PipelineError('bundle', `${location}: the sample has no id`)
  const failure = isObject(error) ? (textIn(error['message']) ?? 'The sample failed.') : undefined
  const attachments = objectIn(sample['attachments'])
  const scores = objectIn(sample['scores'])
  return {
    id,
    ...(typeof epoch === 'number' ? { epoch } : {}),
    doc: objectIn(metadata),
    messages: readPrompt(sample).map(message => convertMessage(message, attachments)),
    ...(target === undefined ? {} : { target }),
    ...(isList(choices) && choices.length > 0 ? { choices: choices.map(choice => textIn(choice) ?? '') } : {}),
    answers: failure === undefined ? endedAnswers(sample, scores) : [{ error: failure }],
    scores: readScores(scores),
    extracted: extractedIn(scores) as Readonly<Record<string, Json>>,
    unread: Object.keys(scores).filter(name => objectIn(objectIn(scores[name])['metadata'])['unparsed'] === true),
    ...(failure === undefined ? {} : { error: failure }),
  }
}

/** The messages before the last answer. They hold what solvers added to the sample's input. */
function readPrompt({ messages, input }: JsonObject): readonly Json[] {
  const all = isList(messages) ? messages : []
  const last = all.findLastIndex(message => objectIn(message)['role'] === 'assistant')
  const before = last < 0 ? all : all.slice(0, last)
  if (before.length > 0) return before
  return isList(input) ? input : [{ role: 'user', content: input ?? '' }]
}

function convertMessage(message: Json, attachments: JsonObject): ForeignMessage {
  const { role, content } = objectIn(message)
  return {
    role: textIn(role) ?? 'user',
    content: isList(content)
      ? content.flatMap(part => convertPart(objectIn(part), attachments))
      : resolveAttachments(textIn(content) ?? '', attachments),
  }
}

/** Long texts and media are written once, and named by `attachment://` and their hash. */
function resolveAttachments(text: string, attachments: JsonObject): string {
  if (!text.includes('attachment://')) return text
  return text.replace(/attachment:\/\/([0-9a-f]{32})/g, (name, hash: string) => textIn(attachments[hash]) ?? name)
}

const mediaTypes = ['image', 'audio', 'video', 'document']

function convertPart(part: JsonObject, attachments: JsonObject): readonly ForeignPart[] {
  const type = textIn(part['type']) ?? ''
  if (type === 'text') return [{ type, text: resolveAttachments(textIn(part['text']) ?? '', attachments) }]
  if (!mediaTypes.includes(type)) return []
  const source = resolveAttachments(textIn(part[type]) ?? '', attachments)
  const data = /^data:([^;,]*);base64,/.exec(source.slice(0, 200))
  if (data === null) return [{ type: 'medium', path: source, mime: type }]
  return [{ type: 'medium', bytes: Buffer.from(source.slice(data[0].length), 'base64'), mime: data[1] ?? type }]
}

/**
 * Returns the answer of a sample that was scored without a final output, because a limit ended it or its solver called no model. Inspect then scores
 * the model's last message, or an empty text.
 */
function endedAnswers(sample: JsonObject, scores: JsonObject): readonly ForeignAnswer[] {
  const answers = readAnswers(sample)
  const limit = textIn(objectIn(sample['limit'])['type'])
  const finish = limit === undefined ? undefined : `${limit}_limit`
  if (answers.length > 0 || (finish === undefined && Object.keys(scores).length === 0))
    return answers.map(answer => ({ ...answer, ...present({ finish: finish ?? answer.finish }) }))
  const all = isList(sample['messages']) ? sample['messages'] : []
  const last = objectIn(all.findLast(message => objectIn(message)['role'] === 'assistant'))
  return [{ ...readTexts(last['content'], objectIn(sample['attachments'])), ...present({ finish }) }]
}

const finishWords: Readonly<Record<string, string>> = { max_tokens: 'length', model_length: 'length' }

function readAnswers({ output, attachments }: JsonObject): readonly ForeignAnswer[] {
  const { choices, usage: counts, time } = objectIn(output)
  const usage = present({
    input: numberIn(objectIn(counts)['input_tokens']),
    output: numberIn(objectIn(counts)['output_tokens']),
  })
  const list = isList(choices) ? choices : []
  return list.map((choice): ForeignAnswer => {
    const { message, stop_reason: stop } = objectIn(choice)
    const content = objectIn(message)['content']
    const word = textIn(stop)
    const seconds = list.length === 1 ? numberIn(time) : undefined
    return {
      ...readTexts(content, objectIn(attachments)),
      ...present({
        finish: word === undefined ? undefined : (finishWords[word] ?? word),
        latencyMs: seconds === undefined ? undefined : Math.round(seconds * 1000),
        usage: list.length === 1 && Object.keys(usage).length > 0 ? usage : undefined,
      }),
    }
  })
}

function readTexts(content: Json | undefined, attachments: JsonObject): Pick<ForeignAnswer, 'text' | 'reasoning'> {
  if (!isList(content)) return { text: resolveAttachments(textIn(content) ?? '', attachments) }
  const of = (type: string): string =>
    content.flatMap(part => (objectIn(part)['type'] === type ? [textIn(objectIn(part)[type]) ?? ''] : [])).join('\n')
  const reasoning = of('reasoning')
  return {
    text: resolveAttachments(of('text'), attachments),
    ...(reasoning === '' ? {} : { reasoning: resolveAttachments(reasoning, attachments) }),
  }
}

/** Values that Inspect takes for numbers: correct, incorrect, partially correct, no answer, and words. */
const words: Readonly<Record<string, number>> = { C: 1, I: 0, P: 0.5, N: 0, yes: 1, true: 1, no: 0, false: 0 }

/** Reads a sample's scores. Named values of a score are reported under their names. If two scorers use a name, the scorer's name is added. */
function readScores(scores: JsonObject): Readonly<Record<string, Json>> {
  const entries = Object.entries(scores).flatMap(([scorer, score]) =>
    listScoreValues(scorer, objectIn(score)['value']).map(([name, value]) => ({ scorer, name, value })),
  )
  const isShared = (name: string): boolean => entries.filter(entry => entry.name === name).length > 1
  return Object.fromEntries(
    entries.map(({ scorer, name, value }) => [scorer !== name && isShared(name) ? `${scorer}/${name}` : name, value]),
  )
}

function listScoreValues(name: string, value: Json | undefined): (readonly [string, Json])[] {
  if (isObject(value)) return Object.entries(value).flatMap(([key, inner]) => listScoreValues(key, inner))
  if (value === undefined) return []
  return [[name, typeof value === 'string' ? parseScoreText(value) : value]]
}

const parseScoreText = (text: string): Json =>
  words[text] ?? words[text.toLowerCase()] ?? (/^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text)

const extractedIn = (scores: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(scores).flatMap(([name, score]) => {
      const answer = objectIn(score)['answer']
      return answer === undefined || answer === null ? [] : [[name, answer] as const]
    }),
  )
