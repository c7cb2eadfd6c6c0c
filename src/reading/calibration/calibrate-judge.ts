/** Compares the judge's values of a run with human labels. */
import { PipelineError } from '../../../base/errors/errors.js'
import { command, option } from '../../../base/errors/option-words.js'
import { factsReader } from '../../../cache/facts/sample-facts.js'
import { labelsOfRun, placeKey } from '../../../cache/facts/current-labels.js'
import type { OpenedRun, Store } from '../../../cache/store.js'
import { computeKappa, type CohenKappa } from '../../../stages/judge/statistics/agreement/cohen.js'
import { computeAlpha, type Rating } from '../../../stages/judge/statistics/agreement/krippendorff.js'
import type { Interval } from '../../../stages/judge/statistics/intervals/interval.js'
import { wilson } from '../../../stages/judge/statistics/intervals/proportions.js'
import {
  averageJudge,
  estimateHumanMean,
  estimatePpiShare,
  type NormalMean,
  type PpiMean,
} from '../../../stages/judge/statistics/ppi/ppi-mean.js'
import {
  findLabel,
  listAuthors,
  listPairs,
  listPeople,
  tryStatistic,
  type AuthorLabel,
  type JudgedDoc,
  type PeoplePair,
  type PersonLabels,
} from './compare-people.js'
import type { LabelRow } from './read-label-rows.js'

/** The minimum number of labels for an interval of kappa. Fewer hardly show how often each category occurs, which kappa needs. */
export const fewestForKappa = 10

/** Counts of docs by human label and judge value. */
export interface ConfusionTable {
  readonly bothRight: number
  /** People say right, and the judge says wrong. */
  readonly judgeTooStrict: number
  /** People say wrong, and the judge says right. */
  readonly judgeTooLenient: number
  readonly bothWrong: number
}

/** The agreement of the judge with people on one task. */
export interface TaskCalibration {
  readonly task: string
  /** The first metric of the task, whose values are compared. */
  readonly metric: string
  /** The number of docs with a value of the judge. */
  readonly docs: number
  /** The number of these that people call right or wrong. */
  readonly labelled: number
  /** Docs that people call unclear, or about which they disagree. They count as docs without a label. */
  readonly unclear: number
  readonly table: ConfusionTable
  /** The share of labelled docs on which judge and people agree; null without labels. */
  readonly agreement: number | null
  /** Cohen's kappa of judge and people; null if it is undefined. It has no interval with fewer than {@link fewestForKappa} labels. */
  readonly kappa: (Pick<CohenKappa, 'kappa' | 'stderr'> & { readonly interval: Interval | null }) | null
  /** Krippendorff's alpha of the judge and all people; null if it is undefined. */
  readonly alpha: number | null
  /** Krippendorff's alpha of the people alone; null with fewer than two, or if it is undefined. */
  readonly alphaOfPeople: number | null
  /** The labels of each person, those with most labels first. */
  readonly people: readonly PersonLabels[]
  /** Each two people who labelled some of the same docs. */
  readonly pairs: readonly PeoplePair[]
  /** The judge's mean over all docs. */
  readonly judgeMean: number
  /** The share of right answers by the labels alone; null with fewer than two labels. */
  readonly humanMean: NormalMean | null
  /** The share of right answers by labels and judge together (PPI++); null with fewer than ten labels, or if every doc has one. */
  readonly estimate: PpiMean | null
  /** The number of further human labels that the judge is worth; null without an estimate. */
  readonly judgeWorth: number | null
}

/** The agreement of the judge with people, for each task with labels. */
export interface JudgeCalibration {
  readonly run: string
  readonly tasks: readonly TaskCalibration[]
  /** Rows of a file that are about no doc of the run, or about other answers. */
  readonly unmatched: number
}

/**
 * Compares the judge's values with labels, as {@link readCalibration} does.
 *
 * @throws PipelineError if the run is not scored, or has no label
 */
export async function calibrateJudge(
  store: Store,
  opened: OpenedRun,
  rows?: readonly LabelRow[],
): Promise<JudgeCalibration> {
  const calibration = await readCalibration(store, opened, rows)
  if (calibration.tasks.length > 0) return calibration
  throw new PipelineError('usage', [
    `No doc of ${opened.run.name} with a score has a label.`,
    `Label docs in the viewer (${command('ui')}) or with ${command('labels add')}, or give labels of your own (${option('labels')}).`,
  ])
}

/**
 * Compares the judge's values with labels: those of the store, or those of a file. A run without labels has no tasks in the result.
 *
 * @throws PipelineError if the run is not scored
 */
export async function readCalibration(
  store: Store,
  opened: OpenedRun,
  rows?: readonly LabelRow[],
): Promise<JudgeCalibration> {
  const { run, judgement } = opened
  if (judgement === undefined)
    throw new PipelineError(
      'usage',
      `${run.name} has no scores to compare with labels. Score it: ${command('judge', [run.name])}`,
    )
  const find = rows === undefined ? await findStoredLabels(store, opened) : findRows(rows)
  const readFacts = factsReader(opened)
  const tasks = new Map<string, CollectedTask>()
  for await (const sample of store.judgements.samples(run, judgement)) {
    const { value, isRight, metric } = readFacts(sample)
    if (value === null || isRight === null) continue
    const task = run.asked.tasks[sample.task]?.name ?? ''
    const collected = tasks.get(task) ?? { task, metric, docs: [] }
    tasks.set(task, collected)
    collected.docs.push({ value, isRight, labels: find.labelsOf({ ...sample, taskName: task }) })
  }
  const calibrated = [...tasks.values()].filter(({ docs }) => docs.some(({ labels }) => labels.length > 0))
  return { run: run.name, tasks: calibrated.map(calibrateTask), unmatched: find.countUnmatched() }
}

/** The label that one author gives a doc. */
interface CollectedTask {
  readonly task: string
  readonly metric: string
  readonly docs: JudgedDoc[]
}

interface LabelFinder {
  readonly labelsOf: (doc: {
    readonly task: number
    readonly index: number
    readonly id: string
    readonly taskName: string
  }) => readonly AuthorLabel[]
  readonly countUnmatched: () => number
}

async function findStoredLabels(store: Store, { run, judgement }: OpenedRun): Promise<LabelFinder> {
  const labelsByPlace = await labelsOfRun(store, run, judgement)
  return {
    labelsOf: doc =>
      (labelsByPlace.get(placeKey(doc)) ?? []).flatMap(({ author, label }) =>
        label === null ? [] : [{ author, label }],
      ),
    countUnmatched: () => 0,
  }
}

/** Rows without a task are about any task's doc of this id. */
function findRows(rows: readonly LabelRow[]): LabelFinder {
  const byDoc = new Map<string, LabelRow[]>()
  for (const row of rows) byDoc.set(row.doc, [...(byDoc.get(row.doc) ?? []), row])
  const used = new Set<LabelRow>()
  return {
    labelsOf({ id, taskName }) {
      const own = (byDoc.get(id) ?? []).filter(({ task }) => task === undefined || task === taskName)
      for (const row of own) used.add(row)
      return own
    },
    countUnmatched: () => rows.length - used.size,
  }
}

function calibrateTask({ task, metric, docs }: CollectedTask): TaskCalibration {
  const opinions = docs.map(({ labels }) => takeOpinion(labels))
  const labelled = docs.flatMap((doc, i) => {
    const opinion = opinions[i]
    return opinion === undefined ? [] : [{ ...doc, isSaidRight: opinion }]
  })
  const unlabelled = docs.filter((_, i) => opinions[i] === undefined)
  const count = (said: boolean, judged: boolean): number =>
    labelled.filter(({ isSaidRight, isRight }) => isSaidRight === said && isRight === judged).length
  const [labels, judged] = [labelled.map(doc => Number(doc.isSaidRight)), labelled.map(({ value }) => value)]
  const rest = unlabelled.map(({ value }) => value)
  const estimate = tryStatistic(() => estimatePpiShare({ labels, judged, unlabelled: rest }))
  const kappa = tryStatistic(() =>
    computeKappa(
      labelled.map(doc => doc.isSaidRight),
      labelled.map(doc => doc.isRight),
      { labels: [true, false] },
    ),
  )
  const agreeing = count(true, true) + count(false, false)
  return {
    ...{ task, metric, docs: docs.length, labelled: labelled.length },
    unclear: docs.filter((doc, i) => doc.labels.length > 0 && opinions[i] === undefined).length,
    table: {
      bothRight: count(true, true),
      judgeTooStrict: count(true, false),
      judgeTooLenient: count(false, true),
      bothWrong: count(false, false),
    },
    agreement: labelled.length === 0 ? null : agreeing / labelled.length,
    kappa: kappa && {
      ...{ kappa: kappa.kappa, stderr: kappa.stderr },
      interval: labelled.length < fewestForKappa ? null : kappa.boundedInterval,
    },
    ...computeAlphas(docs),
    people: listPeople(docs),
    pairs: listPairs(docs),
    judgeMean: averageJudge({ judged, unlabelled: rest }),
    humanMean: tryStatistic(() => estimateShare(labels)),
    estimate,
    judgeWorth: estimate && Math.max(0, estimate.effectiveLabels - labelled.length),
  }
}

/** Estimates a share with its interval. Labels are 0 or 1. */
function estimateShare(labels: readonly number[]): NormalMean {
  const right = labels.reduce((sum, label) => sum + label, 0)
  return { ...estimateHumanMean(labels), interval: wilson(right, labels.length) }
}

/** Whether most people call the answer right; undefined if they are of two minds or do not know. */
function takeOpinion(labels: readonly AuthorLabel[]): boolean | undefined {
  const right = labels.filter(({ label }) => label === 'right').length
  const wrong = labels.filter(({ label }) => label === 'wrong').length
  return right === wrong ? undefined : right > wrong
}

/** An unclear label is no rating. */
function computeAlphas(docs: readonly JudgedDoc[]): Pick<TaskCalibration, 'alpha' | 'alphaOfPeople'> {
  const people = listAuthors(docs).map(author =>
    docs.map((doc): Rating => {
      const label = findLabel(doc, author)
      return label === undefined || label === 'unclear' ? null : label
    }),
  )
  const judge = docs.map(({ isRight }) => (isRight ? 'right' : 'wrong'))
  return {
    alpha: tryStatistic(() => computeAlpha([judge, ...people])),
    alphaOfPeople: people.length < 2 ? null : tryStatistic(() => computeAlpha(people)),
  }
}
