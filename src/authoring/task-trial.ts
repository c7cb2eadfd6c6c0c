import { isDeepStrictEqual } from 'node:util'
import { messageOf } from '../../base/errors/errors.js'
import type { Json } from '../../base/values/canonical-json.js'
import { sha256 } from '../../cache/digest.js'
import { answerDigest, judgeRecordKey } from '../../cache/keys.js'
import type { AnsweredDoc, JudgeRecord, ResponseBody, ScoreBody } from '../../cache/records.js'
import type { MediaFiles } from '../../stages/input/datasets/media/media-files.js'
import { checkMediumSource, openMediaIntake } from '../../stages/input/media/media-intake.js'
import { MediumError } from '../../stages/input/media/medium-error.js'
import { prepareTask, type PreparedTask } from '../../stages/input/prepare-task.js'
import { findPythonHost } from '../../stages/input/python/python-docs.js'
import { keepsMedia, withMedia } from '../../stages/input/python/record-media.js'
import { AbsentFields } from '../../stages/input/render/absent-fields.js'
import type { DraftMessage } from '../../stages/input/render/messages.js'
import type { Rendered } from '../../stages/input/render/renderer.js'
import type { Task } from '../../stages/input/tasks/task.js'
import type { Scorer } from '../../stages/judge/scorer.js'

/** One doc of a trial: its request, and the scores of a perfect and a wrong answer. */
export interface TriedDoc {
  readonly index: number
  /** The prompt as one text, media as `<image.png>`. Absent where it can't be made. */
  readonly prompt?: string
  readonly target: Json
  /** Absent without a target. */
  readonly perfect?: ScoreBody
  readonly wrong?: ScoreBody
  /** Fields that the row lacks, and that the prompt prints as a word such as `None`. */
  readonly absent?: readonly string[]
  /** The reason why the doc cannot be rendered or scored. */
  readonly problem?: string
}

/** Holds what came of a few docs of a task. */
export interface Trial {
  readonly task: string
  readonly docs: readonly TriedDoc[]
  /** By metric: its number with perfect answers, and with wrong ones. */
  readonly numbers: readonly TriedNumber[]
  readonly problems: readonly string[]
  /** Sentences on fields that rows lack. */
  readonly notes: readonly string[]
}

export interface TriedNumber {
  readonly metric: string
  readonly perfect: number | null
  readonly wrong: number | null
}

/**
 * Renders a task's first docs and scores each with its target and with an answer that is none, without a model.
 *
 * @param store receives the media that the task's scoring reads
 * @throws PipelineError where the dataset can't be read.
 */
export async function tryTask(task: Task, scorer: Scorer, count: number, store?: TrialStore): Promise<Trial> {
  const prepared = await prepareTask(task)
  const trying = { task, scorer, count, store }
  const first = await tryDocs(prepared, trying)
  // Code in Python may keep state, or look at the clock. A value that does not repeat can't be found again by its key.
  const docs = findPythonHost(task) === undefined ? first : compareTrials(first, await tryDocs(prepared, trying))
  const numbers = await computeNumbers(docs, scorer)
  const absent = new AbsentFields()
  for (const doc of docs) absent.add(doc.absent, `doc ${doc.index}`)
  return {
    task: task.name,
    docs,
    numbers,
    problems: listProblems(task, docs, numbers),
    notes: absent.describe(task.name),
  }
}

async function tryDocs(
  prepared: PreparedTask,
  {
    task,
    scorer,
    count,
    store,
  }: Pick<Trying, 'task' | 'scorer'> & {
    readonly count: number
    readonly store: TrialStore | undefined
  },
): Promise<readonly TriedDoc[]> {
  const choose = prepared.examples?.()
  const intake = store && keepsMedia(task) ? openMediaIntake(store, prepared.dataset.media) : undefined
  const docs: TriedDoc[] = []
  for await (const doc of prepared.docs(index => index < count)) {
    if (docs.length >= count) break
    const rendered = prepared.renderer.render(doc, choose?.(doc))
    const { media } = prepared.dataset
    const complete = async (record: JudgeRecord): Promise<JudgeRecord> =>
      intake === undefined ? record : (await withMedia(record, doc, intake)).record
    docs.push(await triedDoc(rendered, { task, scorer, media, complete, index: docs.length }))
  }
  return docs
}

/** Adds a problem to each doc whose prompt, target or score differs in the second trial. */
function compareTrials(docs: readonly TriedDoc[], again: readonly TriedDoc[]): readonly TriedDoc[] {
  return docs.map((doc, at) => {
    const other = again[at]
    const parts = ['prompt', 'target', 'perfect', 'wrong'] as const
    const moved = parts.filter(part => !isDeepStrictEqual(shownPart(doc, part), other && shownPart(other, part)))
    if (moved.length === 0 || doc.problem !== undefined) return doc
    const names = moved.map(part => ({ prompt: 'prompt', target: 'target', perfect: 'score', wrong: 'score' })[part])
    const listed = [...new Set(names)].join(' and ')
    return { ...doc, problem: `two calls of its code give another ${listed}: it must depend on the doc alone` }
  })
}

/** Names of stored media may differ where their bytes do not. */
const shownPart = (doc: TriedDoc, part: 'prompt' | 'target' | 'perfect' | 'wrong'): unknown =>
  part === 'prompt' ? doc.prompt?.replace(/<[^<>]*>/g, '<>') : part === 'target' ? doc.target : doc[part]?.values

interface Trying {
  readonly task: Task
  readonly scorer: Scorer
  readonly media: MediaFiles
  /** Adds the media that the task's scoring reads. @throws MediumError */
  readonly complete: (record: JudgeRecord) => Promise<JudgeRecord>
  readonly index: number
}

type TrialStore = Parameters<typeof openMediaIntake>[0]

/** Scores a doc with its target and with an answer that is none. */
export async function triedDoc(rendered: Rendered, trying: Trying): Promise<TriedDoc> {
  const { index } = trying
  const { record } = rendered
  if (rendered.type === 'failed') return { index, target: record.target, problem: rendered.reason }
  const prompt = promptText(rendered.messages)
  const missing = await mediumProblem(rendered.messages, trying.media)
  if (missing !== undefined) return { index, prompt, target: record.target, problem: missing }
  const absent = rendered.absent && { absent: rendered.absent }
  if (record.target === null) return { index, prompt, target: null, ...absent }
  const whole = await trying.complete(record)
  const score = async (isPerfect: boolean): Promise<ScoreBody> =>
    trying.scorer.score(makeAnsweredDoc(whole, isPerfect, trying))
  const [perfect, wrong] = [await score(true), await score(false)]
  const failed = [perfect, wrong].find(({ outcome }) => outcome === 'error')
  return {
    index,
    prompt,
    target: record.target,
    perfect,
    wrong,
    ...absent,
    ...(failed === undefined ? {} : { problem: failed.reason ?? 'it can not be scored' }),
  }
}

/** Describes the problem of the first unusable medium. */
async function mediumProblem(messages: readonly DraftMessage[], files: MediaFiles): Promise<string | undefined> {
  for (const part of messages.flatMap(({ content }) => content)) {
    if (part.type === 'text') continue
    try {
      await checkMediumSource(part.source, files)
    } catch (error) {
      if (!(error instanceof MediumError)) throw error
      return error.message
    }
  }
  return undefined
}

/** The messages as one text, media as `<image.png>`. */
export const promptText = (messages: readonly DraftMessage[]): string =>
  messages
    .map(({ role, content }) => {
      const text = content.map(part => (part.type === 'text' ? part.text : mediumText(part.source))).join('')
      return messages.length === 1 ? text : `${role}: ${text}`
    })
    .join('\n')

function mediumText(source: Extract<DraftMessage['content'][number], { type: 'medium' }>['source']): string {
  if (typeof source === 'string') return `<${source}>`
  const path: unknown = 'path' in source ? source.path : undefined
  return typeof path === 'string' ? `<${path}>` : '<medium>'
}

/** Nothing that a dataset has as its answer. */
const wrongText = 'zzq xvw kkp'

function makeAnsweredDoc(record: JudgeRecord, isPerfect: boolean, { task, index }: Trying): AnsweredDoc {
  const bodies = makeBodies(record, isPerfect, task)
  const { repeats } = task.config
  return {
    task: 0,
    index,
    id: String(index),
    recordKey: judgeRecordKey(record).key,
    record,
    answers: bodies.flatMap((body, choice) =>
      Array.from({ length: repeats }, (_, sample) => ({
        choice,
        sample,
        key: sha256<'response'>(`${index}/${choice}/${sample}`),
        digest: answerDigest(body).key,
        body,
      })),
    ),
  }
}

function makeBodies({ target, choices = [] }: JudgeRecord, isPerfect: boolean, task: Task): readonly ResponseBody[] {
  const { output_type: type } = task.config
  const likelihood = (isLikely: boolean): ResponseBody => ({
    text: '',
    finishReason: 'stop',
    logprob: isLikely ? -0.5 : -50,
    continuationTokens: 1,
    isGreedy: isLikely,
  })
  if (type === 'multiple_choice') {
    const right: readonly Json[] = Array.isArray(target) ? (target as readonly Json[]) : [target]
    return choices.map((_, choice) => likelihood(right.includes(choice) === isPerfect))
  }
  if (type === 'loglikelihood' || type === 'loglikelihood_rolling') return [likelihood(isPerfect)]
  return [{ text: isPerfect ? formatTarget(target) : wrongText, finishReason: 'stop' }]
}

function formatTarget(target: Json): string {
  const firstTarget: Json = Array.isArray(target) ? ((target as readonly Json[])[0] ?? '') : target
  return typeof firstTarget === 'string' ? firstTarget : JSON.stringify(firstTarget)
}

async function computeNumbers(docs: readonly TriedDoc[], scorer: Scorer): Promise<readonly TriedNumber[]> {
  const of = async (pick: (doc: TriedDoc) => ScoreBody | undefined) => {
    const scores = docs.flatMap(doc => pick(doc) ?? [])
    const aggregator = scorer.aggregator()
    try {
      for (const score of scores) aggregator.add(score)
      await aggregator.settle()
      return aggregator.finish({ docs: scores.length })
    } catch (error) {
      return messageOf(error)
    }
  }
  const [perfect, wrong] = [await of(doc => doc.perfect), await of(doc => doc.wrong)]
  if (typeof perfect === 'string' || typeof wrong === 'string') return []
  return perfect.flatMap((own, at) =>
    own.group === undefined
      ? [
          {
            metric: own.filter === 'none' ? own.metric : `${own.metric},${own.filter}`,
            perfect: own.value,
            wrong: wrong[at]?.value ?? null,
          },
        ]
      : [],
  )
}

function listProblems(task: Task, docs: readonly TriedDoc[], numbers: readonly TriedNumber[]): readonly string[] {
  const failed = docs.flatMap(({ index, problem }) =>
    problem === undefined ? [] : [`${task.at([])}  doc ${index} of ${task.name}: ${problem}`],
  )
  const scored = docs.some(({ perfect }) => perfect !== undefined)
  const isTold = numbers.some(({ perfect, wrong }) => perfect !== null && wrong !== null && perfect !== wrong)
  const asksJudge = docs.some(({ perfect }) => perfect?.outcome === 'judge_failed')
  if (failed.length > 0 || !scored || isTold || asksJudge) return failed
  return [`${task.at([])}  ${task.name}: no metric tells a perfect answer (the target) from a wrong one`]
}
