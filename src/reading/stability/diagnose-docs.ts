import { listVotes, type SampledScores } from './measure-run-stability.js'

/** The docs of a run to look at, by what their samples say. Each list has the ids of docs in their order. */
export interface DocDiagnoses {
  /** The samples disagree: some are right and some wrong, or the wrong answers differ. */
  readonly ambiguous: readonly string[]
  /** All samples give one wrong answer. */
  readonly confidentlyWrong: readonly ConfidentError[]
  /** With other runs: most samples are wrong here, and every other run is right. */
  readonly modelSpecific?: readonly string[]
  /** With other runs: most samples are wrong here and in every other run, which may be the target's fault. */
  readonly wrongEverywhere?: readonly string[]
}

/** A doc for which all samples are the same wrong answer. */
export interface ConfidentError {
  readonly id: string
  readonly answer: string
}

/** Diagnoses docs. `others` has the scores of the same docs in further runs, by id: one map for each run. */
export function diagnoseDocs(
  docs: readonly SampledScores[],
  others: readonly ReadonlyMap<string, number>[] = [],
): DocDiagnoses {
  const ambiguous: string[] = []
  const confidentlyWrong: ConfidentError[] = []
  for (const doc of docs) {
    const votes = new Set(listVotes(doc))
    const [vote] = votes
    if (votes.size > 1) ambiguous.push(doc.id)
    else if (typeof vote === 'string' && doc.scores.every(score => score <= 0))
      confidentlyWrong.push({ id: doc.id, answer: vote })
  }
  if (others.length === 0) return { ambiguous, confidentlyWrong }
  const wrong = docs.filter(doc => !isMostlyRight(averageScores(doc.scores)))
  const listWhere = (isRight: boolean): readonly string[] =>
    wrong
      .map(({ id }) => id)
      .filter(id =>
        others.every(scores => {
          const score = scores.get(id)
          return score !== undefined && isMostlyRight(score) === isRight
        }),
      )
  return { ambiguous, confidentlyWrong, modelSpecific: listWhere(true), wrongEverywhere: listWhere(false) }
}

const isMostlyRight = (score: number): boolean => score > 0.5

const averageScores = (scores: readonly number[]): number =>
  scores.reduce((sum, score) => sum + score, 0) / scores.length
