import type { Json } from '../../../base/values/canonical-json.js'
import { oneLine } from '../../../base/text/visible-text.js'
import type { MediaDigest } from '../../../cache/digest.js'
import type { ContentPart, ResponseBody, Run } from '../../../cache/records.js'
import type { Sample, SampleItem } from '../../../cache/store.js'
import type { ItemWithRounds, SampleWithRounds } from '../../model/kept-conversations.js'
import { formatDecimal, formatCount } from '../../../base/text/numbers.js'
import type { JudgeExchange } from '../../reading/samples/judge-exchanges.js'
import { readStatedReason } from '../../reading/samples/stated-reason.js'
import { describeReasons } from '../../reading/samples/unjudged-docs.js'
import { type Paint } from './layout/paint.js'

/** A doc to show, with its judge calls. */
export interface ShownSample {
  readonly run: Run
  readonly sample: SampleWithRounds
  readonly exchanges?: readonly JudgeExchange[]
}

/** One doc as text: prompt, media, answer, target, extracted answer, scores, and the exchanges with judge models. */
export function sampleLines(
  { run, sample, exchanges = [] }: ShownSample,
  mediaPath: (digest: MediaDigest) => string,
  paint: Paint,
): string[] {
  const task = run.asked.tasks[sample.task]?.name ?? ''
  const entries: Entry[] = [
    ...promptEntries(sample.items[0], mediaPath),
    ...sample.items.flatMap(item => [...transcriptEntries(item, mediaPath), ...answerEntries(item, sample)]),
    ['target', quoteText(sample.record.target)],
    ...scoreEntries(sample),
    ...exchanges.flatMap(exchange => exchangeEntries(exchange, mediaPath)),
  ]
  return [
    `${paint.bold(oneLine(`${task}/${sample.id}`))}   ${verdict(sample, paint)}`,
    ...entries.flatMap(([name, text]) => entryLines(name, text, paint)),
    '',
  ]
}

type Entry = readonly [name: string, text: string]

const nameWidth = 8
/** The maximum number of characters shown of one text, because a tool may return millions. */
const mostShown = 4_000

function entryLines(name: string, text: string, paint: Paint): string[] {
  return shortenText(text)
    .split(/\r?\n/u)
    .map((line, index) => `  ${paint.dim((index === 0 ? name : '').padEnd(nameWidth))}   ${line}`.trimEnd())
}

const shortenText = (text: string): string =>
  text.length <= mostShown
    ? text
    : `${text.slice(0, mostShown)} … (${formatCount(text.length)} characters in all: --json has them)`

function verdict({ score, items }: Sample, paint: Paint): string {
  if (items.some(item => item.failure !== undefined)) return paint.red('failed')
  if (score === undefined) return paint.dim('not scored')
  const outcome = score.outcome === 'scored' ? [] : [paint.yellow(score.outcome)]
  return [...outcome, ...formatValues(score.values)].join('   ')
}

const formatValues = (values: Readonly<Record<string, Json>>): readonly string[] =>
  Object.entries(values).map(
    ([metric, value]) => `${metric} ${typeof value === 'number' ? formatDecimal(value) : JSON.stringify(value)}`,
  )

/** Formats a judge call: judge, prompt, reply and resulting values. */
function exchangeEntries(
  { judge, item, verdict }: JudgeExchange,
  mediaPath: (digest: MediaDigest) => string,
): readonly Entry[] {
  const { request, response, failure } = item
  const served = response?.meta.served
  const reply = (): Entry => {
    if (failure !== undefined) return ['failed', `${failure.class}: ${failure.message}`]
    if (response === undefined) return ['replies', '(not answered yet)']
    return ['replies', `${quoteText(response.body.text)}${describeEnding(response.body)}`]
  }
  return [
    ['judge', `${judge}${served === undefined ? '' : `   (the server says that ${served} answered)`}`],
    ...(request?.input.messages ?? []).flatMap(({ content }) =>
      content.map((part): Entry => partEntry(part, 'asks', mediaPath)),
    ),
    reply(),
    ...(verdict === undefined ? [] : [['verdict', formatValues(verdict).join('   ')] as const]),
  ]
}

/** The messages that all requests of a doc share. They differ in the continuation or the sample. */
function promptEntries(item: ItemWithRounds | undefined, mediaPath: (digest: MediaDigest) => string): Entry[] {
  if (item?.request === undefined) return []
  return item.request.input.messages.flatMap(({ role, content }) =>
    content.map((part): Entry => partEntry(part, role, mediaPath)),
  )
}

function partEntry(part: ContentPart, role: string, mediaPath: (digest: MediaDigest) => string): Entry {
  if (part.type === 'text') return [role, part.text]
  const derived = part.derive === undefined ? '' : `   ${JSON.stringify(part.derive)}`
  return [part.type, `${mediaPath(part.media)}${derived}`]
}

/** The rounds between the first question and the last answer. */
function transcriptEntries(
  { response, transcript = [] }: ItemWithRounds,
  mediaPath: (digest: MediaDigest) => string,
): Entry[] {
  // The last message is the answer, which is shown on its own.
  const messages = response?.body.transcript?.slice(0, -1) ?? transcript
  return messages.flatMap(({ role, content, toolCalls = [], ...result }) => {
    const name = role === 'assistant' ? 'model' : role
    const from =
      result.toolName === undefined ? '' : `${result.toolName}${result.isToolError === true ? ' failed' : ''}: `
    return [
      ...content.map((part): Entry => {
        const [kind, text] = partEntry(part, name, mediaPath)
        return [kind, `${from}${text}`]
      }),
      ...toolCalls.map((call): Entry => ['calls', `${call.name} ${call.arguments}`]),
    ]
  })
}

function answerEntries(item: ItemWithRounds, { record, items }: Sample): Entry[] {
  const choice = record.choices?.[item.choice]
  const isRepeated = items.some(({ sample }) => sample > 0)
  const name =
    item.request?.input.continuation === undefined
      ? isRepeated
        ? `answer ${item.sample}`
        : 'answer'
      : isContext(item, items)
        ? 'context'
        : 'choice'
  if (item.failure !== undefined) {
    const { class: failureClass, message, attempts } = item.failure
    return [['failed', `${failureClass}: ${message} (${attempts === 1 ? '1 attempt' : `${attempts} attempts`})`]]
  }
  if (item.response === undefined) return [[name, '(not answered yet)']]
  const { body } = item.response
  const cut = describeEnding(body)
  if (body.logprob !== undefined && (name === 'choice' || name === 'context')) {
    const greedy = body.isGreedy === true ? '   greedy' : ''
    return [
      [
        name,
        `${quoteText(choice ?? item.request?.input.continuation ?? '')}   logprob ${formatDecimal(body.logprob)}${greedy}`,
      ],
    ]
  }
  const reasoning: Entry[] = body.reasoning === undefined ? [] : [['thought', body.reasoning]]
  return [...reasoning, [name, `${quoteText(body.text)}${cut}`]]
}

/** Returns whether the choices of a doc are different beginnings of one continuation, as in Winogrande. */
const isContext = ({ request, choice }: SampleItem, items: readonly SampleItem[]): boolean =>
  items.some(
    other =>
      other.choice !== choice &&
      other.request?.input.continuation === request?.input.continuation &&
      other.request?.key !== request?.key,
  )

function describeEnding({ finishReason, rawFinishReason: raw }: ResponseBody): string {
  const ending = endings[raw ?? ''] ?? endings[finishReason]
  if (ending !== undefined) return ending
  return finishReason === 'unknown' && raw !== undefined ? `   (ended for an unknown reason, ${quoteText(raw)})` : ''
}

/** A note if an answer ended unusually. */
const endings: Readonly<Record<string, string>> = {
  length: '   (cut off at the token limit)',
  tool_calls: '   (still calling tools at the limit of rounds)',
  max_agentic_steps: '   (its steps ran out)',
}

function scoreEntries({ score, record }: Sample): Entry[] {
  const choices: Entry[] = record.choices === undefined ? [] : [['choices', record.choices.map(quoteText).join(', ')]]
  if (score === undefined) return choices
  const readings = Object.entries(score.extracted).map(([filter, value]): Entry => {
    const stated = readStatedReason(value)
    const name = filter === 'none' ? '' : `   (${filter})`
    return stated === undefined ? ['read as', `${quoteText(value)}${name}`] : ['reason', `${stated}${name}`]
  })
  const reasons = describeReasons(score)
  const reason: Entry[] = reasons === undefined ? [] : [['why', reasons]]
  const groups = Object.entries(score.groups ?? {}).map(([field, label]) => `${field}: ${label}`)
  return [...choices, ...readings, ...reason, ...(groups.length === 0 ? [] : [['of', groups.join(', ')] as const])]
}

/** Quotes a short text to show its white space. */
const quoteText = (value: unknown): string =>
  typeof value === 'string' && value.includes('\n') ? value : JSON.stringify(value ?? null)
