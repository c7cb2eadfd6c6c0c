/** Turns answers from another program into a log, with docs and rules of this program's tasks. */
import { PipelineError } from '../../../base/errors/errors.js'
import { shownPath } from '../../../base/files/shown-path.js'
import { canonicalJson, type Json } from '../../../base/values/canonical-json.js'
import type { DatasetIdentity, JudgeRecord, StoredConfig, StoredScoring, Input } from '../../../cache/records.js'
import type { ForeignLog, ForeignSample, ForeignTask, RunGroups } from '../foreign-log.js'
import type { AnswerFile, AnswerRow } from './answer-rows.js'
import { describeMatch, matchAnswers, type MatchedAnswers, type NamedDoc } from './matched-answers.js'

/** A doc as its task renders it. */
export interface RenderedDoc extends NamedDoc {
  readonly inputs: readonly Input[]
  readonly record: JudgeRecord
}

/** A task that answers belong to. */
export interface AnsweredTask {
  readonly name: string
  readonly identity: string
  readonly scoring: StoredScoring
  readonly dataset: DatasetIdentity
  /** Yields the names of all docs, without rendering them. */
  readonly names: () => AsyncIterable<NamedDoc>
  /** Finds the docs that are scored. */
  readonly select: () => Promise<(index: number) => boolean>
  /** Renders the docs that are scored. */
  readonly docs: () => AsyncIterable<RenderedDoc>
  /** Describes the selection of docs. Another one makes another run. */
  readonly selection: Json
}

/** A log of answers, with notes about each task. */
export interface AnswersLog {
  readonly log: ForeignLog
  readonly matches: readonly { readonly task: string; readonly match: MatchedAnswers }[]
  readonly notes: readonly string[]
}

/**
 * Makes a log of a file of answers. Docs without an answer are failures in it.
 *
 * @throws PipelineError if tasks compare likelihoods, rows name other tasks, or no id fits a task
 */
export async function makeAnswersLog(
  file: string,
  { columns, rows }: AnswerFile,
  {
    tasks,
    model,
    config,
    groups,
  }: {
    readonly groups?: RunGroups | undefined
    readonly tasks: readonly AnsweredTask[]
    readonly model: string
    /** Settings with which later judgements find the tasks. */
    readonly config: StoredConfig
  },
): Promise<AnswersLog> {
  refuseLikelihoods(tasks)
  refuseOtherTasks(file, rows, tasks)
  const matchedTasks = await Promise.all(
    tasks.map(async task => {
      const docs: NamedDoc[] = []
      for await (const doc of task.names()) docs.push(doc)
      const own = rows.filter(row => row.task === undefined || row.task === task.name)
      return { task, match: matchAnswers({ task: task.name, file, docs, isSelected: await task.select() }, own) }
    }),
  )
  const log: ForeignLog = {
    tool: answersTool,
    files: [file],
    reading: {
      columns: { ...columns },
      model,
      tasks: tasks.map(({ identity, dataset, selection }) => [
        ...[identity, dataset.files],
        ...(canonicalJson(selection) === '{}' ? [] : [selection]),
      ]),
    },
    config,
    ...(groups !== undefined && { groups }),
    // eslint-disable-next-line @typescript-eslint/require-await -- tasks of a log are read asynchronously
    async *tasks() {
      for (const { task, match } of matchedTasks) yield makeTask(file, task, { match, model })
    },
  }
  return {
    log,
    matches: matchedTasks.map(({ task: { name }, match }) => ({ task: name, match })),
    notes: matchedTasks.flatMap(({ task, match }) => describeMatch(file, match).map(text => `${task.name}: ${text}`)),
  }
}

/** The tool that the runs of such answers name. */
const answersTool = 'answers'

function makeTask(
  file: string,
  { name, scoring, dataset, docs }: AnsweredTask,
  { match, model }: { readonly match: MatchedAnswers; readonly model: string },
): ForeignTask {
  return {
    task: name,
    model,
    source: file,
    reported: [],
    rules: { scoring, dataset },
    async *samples() {
      for await (const doc of docs()) yield* makeSamples(file, doc, match.rows.get(doc.index) ?? [])
    },
  }
}

function makeSamples(file: string, doc: RenderedDoc, rows: readonly AnswerRow[]): readonly ForeignSample[] {
  const { id, index, inputs, record } = doc
  const rendered = { messages: inputs[0]?.messages ?? [], record }
  const common = { id, index, rendered, scores: {} }
  if (rows.length === 0) return [{ ...common, answers: [{ error: `${shownPath(file)} has no answer for this doc.` }] }]
  return rows.map(({ answer, finish, line }, epoch) => ({
    ...common,
    epoch,
    answers: [
      answer === undefined
        ? { error: `${shownPath(file)}:${line} has no answer.` }
        : { text: answer, ...(finish !== undefined && { finish }) },
    ],
  }))
}

/** @throws PipelineError if a task is not scored by texts */
function refuseLikelihoods(tasks: readonly AnsweredTask[]): void {
  const others = tasks.filter(({ scoring }) => scoring.output_type !== 'generate_until')
  if (others.length === 0) return
  throw new PipelineError(
    'usage',
    others.map(
      ({ name, scoring }) =>
        `${name}: its output_type is ${scoring.output_type}, and texts cannot be scored as likelihoods`,
    ),
  )
}

/** Checks the tasks of rows. @throws PipelineError if rows name other tasks, or name none although several are requested */
function refuseOtherTasks(file: string, rows: readonly AnswerRow[], tasks: readonly AnsweredTask[]): void {
  const names = new Set(tasks.map(({ name }) => name))
  const other = rows.find(({ task }) => task !== undefined && !names.has(task))
  if (other !== undefined)
    throw new PipelineError(
      'usage',
      `${shownPath(file)}:${other.line}  the row is of task "${other.task}", and the tasks are ${[...names].join(', ')}`,
    )
  const bare = rows.find(({ task }) => task === undefined)
  if (names.size > 1 && bare !== undefined)
    throw new PipelineError(
      'usage',
      `${shownPath(file)}:${bare.line}  the row has no "task", and there are several: ${[...names].join(', ')}`,
    )
}
